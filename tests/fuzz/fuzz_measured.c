/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements of other people's tools: TALP's JSON, mpiP's text, Paraver traces, any CSV. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "models/measured.h"

/* Nodes are all there, and windows are what their ranks' loads are made of. */
static void check(const struct measured *m)
{
        for (int32_t r = 0; r < m->nrank; r++) {
                double sum_s = 0, load_s = m->rank[r].load_s;
                if (m->rank[r].node < 0 || m->rank[r].node >= m->nnode || !(load_s >= 0))
                        abort();
                for (int64_t w = 0; w < m->nwindow; w++)
                        sum_s += m->window_load_s[w * m->nrank + r];
                if (m->nwindow > 0 &&
                    !(sum_s >= 0.999 * load_s - 1e-9 && sum_s <= 1.001 * load_s + 1e-9))
                        abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct lb_error err = { LB_ERROR_NONE, "" };
        struct measured m;
        if (measured_read(&m, fuzz_file(data, size), &err) < 0)
                return 0;
        check(&m);
        measured_finish(&m);
        return 0;
}
