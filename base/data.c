/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where it was installed, as seen from the program itself, so that the whole may be moved. */
static const char *beside_program(char place[static LB_DATA_PATH_SIZE])
{
        char program[LB_DATA_PATH_SIZE];
        ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
        program[length > 0 ? length : 0] = '\0';
        char *slash = strrchr(program, '/');
        if (!slash)
                return NULL;
        *slash = '\0';
        length = snprintf(place, LB_DATA_PATH_SIZE, "%s/%s", program, LB_DATA_FROM_PROGRAM);
        return length < LB_DATA_PATH_SIZE ? place : NULL;
}

bool lb_data_find(const char *folder, const char *name, char path[static LB_DATA_PATH_SIZE])
{
        char beside[LB_DATA_PATH_SIZE];
        const char *const places[] = { getenv("LBSIM_DATA"), beside_program(beside),
                                       LB_SOURCE_DIR };
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
                if (!places[i] || snprintf(path, LB_DATA_PATH_SIZE, "%s/%s/%s", places[i], folder,
                                           name) >= LB_DATA_PATH_SIZE)
                        continue;
                if (access(path, R_OK) == 0)
                        return true;
        }
        return false;
}
