/*
 * What a change would give, as a range of IOPS, from the trace alone. The methods and how far they held are in docs/accuracy.md. It knows
 * formulas; what is worth forecasting follows from the cause.
 */
#ifndef RBDPROF_ANALYZER_CORE_FORECAST_H
#define RBDPROF_ANALYZER_CORE_FORECAST_H

#include "analyzer/core/evidence.h"

/* Adds to the verdict what is forecast for its cause, if anything can be. */
void forecast(const struct evidence *evidence, struct verdict *verdict);

#endif
