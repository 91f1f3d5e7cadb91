#include <curl/curl.h>
#include "compression/plan/edit.h"
#include "tests/support/script.h"
#include "ui/view.h"
