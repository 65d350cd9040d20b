/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real/control/job.h"

/* Linux takes no text of an environment that is longer than 128 KiB, name included. */
enum { PART_SIZE = 120000 };

/* The address that lbrun is reached at is known late (job.contact): what it may add has its place.
 */
int32_t job_text_parts(const char *text)
{
        return 1 + (int32_t)((strlen(text) + JOB_PATH_SIZE) / PART_SIZE);
}

const char *job_part_name(int32_t part, char name[JOB_PART_NAME_SIZE])
{
        if (part == 0)
                return strcpy(name, "LBRUN_JOB");
        snprintf(name, JOB_PART_NAME_SIZE, "LBRUN_JOB_%" PRId32, part);
        return name;
}

char *job_text_part(const char *text, int32_t part)
{
        size_t size = strlen(text), from = (size_t)part * PART_SIZE;
        return strndup(text + (from < size ? from : size), PART_SIZE);
}

int job_to_environment(const char *text)
{
        char name[JOB_PART_NAME_SIZE];
        int32_t nparts = job_text_parts(text);
        for (int32_t i = 0; i < nparts; i++) {
                char *part = job_text_part(text, i);
                int status = part ? setenv(job_part_name(i, name), part, 1) : -1;
                free(part);
                if (status < 0)
                        return -1;
        }
        unsetenv(job_part_name(nparts, name)); /* of a job around this one */
        return 0;
}

char *job_from_environment(void)
{
        char name[JOB_PART_NAME_SIZE];
        const char *part;
        size_t size = 1;
        int32_t nparts = 0;
        for (; (part = getenv(job_part_name(nparts, name))); nparts++)
                size += strlen(part);
        char *text = nparts > 0 ? malloc(size) : NULL, *at = text;
        for (int32_t i = 0; text && i < nparts; i++)
                at = stpcpy(at, getenv(job_part_name(i, name)));
        return text;
}

int32_t job_rank_from_environment(void)
{
        static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK" };
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
                if (getenv(names[i]))
                        return atoi(getenv(names[i]));
        return -1;
}
