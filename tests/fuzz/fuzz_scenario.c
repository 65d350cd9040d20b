/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenario files: read, checked, and all points of small sweeps configured. */
#include "tests/fuzz/fuzz.h"

#include "sim/scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct scenario scenario;
        struct scenario_options options = { 0 };
        struct lb_error err = { LB_ERROR_NONE, "" };
        if (scenario_open(&scenario, fuzz_file(data, size), &options, &err) < 0)
                return 0;
        for (int64_t p = 0; p < scenario.npoint && p < 100; p++) {
                struct scenario_point point;
                if (scenario_point_get(&scenario, p, &point, &err) == 0)
                        scenario_point_finish(&point);
        }
        scenario_close(&scenario);
        return 0;
}
