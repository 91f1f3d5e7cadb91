// /context: parts that sum to the total, the biggest items, what each tier did, cost and forecast. Pure.
#pragma once

#include "agent/protocol/event.h"
#include "ui/parts/part_look.h"
#include "ui/text/style.h"

namespace tern {

Rows context_rows(const ContextReport& report, int width, ChartLook charts = ChartLook::colours);

}  // namespace tern
