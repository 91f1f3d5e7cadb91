#include "compression/edit.h"
#include "tools/tool.h"
