#include <curl/curl.h>
#include "agent/http.h"
#include "compression/plan.h"

#include "tests/support/script.h"
#include "ui/view.h"
