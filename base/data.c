/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool lb_data_find(const char *folder, const char *name, char path[static LB_DATA_PATH_SIZE])
{
        const char *const places[] = { getenv("LBSIM_DATA"), LB_DATA_DIR, LB_SOURCE_DIR };
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
                if (!places[i] || snprintf(path, LB_DATA_PATH_SIZE, "%s/%s/%s", places[i], folder,
                                           name) >= LB_DATA_PATH_SIZE)
                        continue;
                if (access(path, R_OK) == 0)
                        return true;
        }
        return false;
}
