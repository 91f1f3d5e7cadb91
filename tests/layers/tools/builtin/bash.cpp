#include "compression/plan/edit.h"
