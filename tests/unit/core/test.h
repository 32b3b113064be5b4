/* What every test of the core includes: cmocka, and the headers that it wants before it. */
#ifndef RBDPROF_TESTS_UNIT_CORE_TEST_H
#define RBDPROF_TESTS_UNIT_CORE_TEST_H

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
