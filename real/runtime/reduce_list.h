/* SPDX-License-Identifier: BSD-3-Clause */
/* REDUCTION(NAME, TYPE, NEUTRAL, RESULT): the modes LBRUN_NAME of real/lbrun.h, in their order;
 * RESULT is of a[i], what was there, and b[i]. No include guard: who includes it says what an entry
 * becomes. */
REDUCTION(SUM_DOUBLE, double, 0, a[i] + b[i])
REDUCTION(SUM_FLOAT, float, 0, a[i] + b[i])
REDUCTION(SUM_INT32, int32_t, 0, (int32_t)((uint32_t)a[i] + (uint32_t)b[i]))
REDUCTION(SUM_INT64, int64_t, 0, (int64_t)((uint64_t)a[i] + (uint64_t)b[i]))
REDUCTION(MIN_DOUBLE, double, INFINITY, b[i] < a[i] ? b[i] : a[i])
REDUCTION(MIN_FLOAT, float, INFINITY, b[i] < a[i] ? b[i] : a[i])
REDUCTION(MIN_INT32, int32_t, INT32_MAX, b[i] < a[i] ? b[i] : a[i])
REDUCTION(MIN_INT64, int64_t, INT64_MAX, b[i] < a[i] ? b[i] : a[i])
REDUCTION(MAX_DOUBLE, double, -INFINITY, b[i] > a[i] ? b[i] : a[i])
REDUCTION(MAX_FLOAT, float, -INFINITY, b[i] > a[i] ? b[i] : a[i])
REDUCTION(MAX_INT32, int32_t, INT32_MIN, b[i] > a[i] ? b[i] : a[i])
REDUCTION(MAX_INT64, int64_t, INT64_MIN, b[i] > a[i] ? b[i] : a[i])
