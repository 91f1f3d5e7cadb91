#include <sqlite3.h>

#include "agent/event.h"
