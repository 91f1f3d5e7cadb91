#include "compression/plan.h"

#include <nlohmann/json.hpp>
#include <string>
