/* What every test of the shim includes: cmocka, and the headers that it wants before it. */
#ifndef RBDPROF_TESTS_UNIT_PRELOAD_TEST_H
#define RBDPROF_TESTS_UNIT_PRELOAD_TEST_H

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#endif
