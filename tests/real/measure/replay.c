/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "real/measure/meter.h"

/*
 * What the meter makes of a rank whose clocks were read at each entry and exit of MPI: it gets
 * those readings that it wants. replay FILE...: the files of profile.py --readings. A line per
 * file: calls, wall time, processor time outside MPI by all readings, by the meter, and that part
 * of the meter's which was divided, seconds.
 */
static const int64_t WINDOW_NS = 500000000;

struct record {
        struct timespec wall_in, cpu_in, wall_out, cpu_out;
        int64_t kept_out, kept_in; /* its CPU, until MPI is entered, and left */
};

static int64_t ns_of(struct timespec time)
{
        return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void feed(struct meter *meter, const struct record *record)
{
        int64_t in_ns = ns_of(record->wall_in), out_ns = ns_of(record->wall_out);
        meter->kept = record->kept_out != 0;
        if (meter_enter(meter, in_ns))
                meter_cpu(meter, in_ns, ns_of(record->cpu_in));
        meter->kept = record->kept_in != 0;
        if (meter_leave(meter, out_ns))
                meter_cpu(meter, out_ns, ns_of(record->cpu_out));
}

static int replay(struct meter *meter, const char *path)
{
        struct record last, now;
        int64_t all_ns = 0, calls = 0;
        FILE *file = fopen(path, "r");
        if (!file || fread(&last, sizeof(last), 1, file) != 1) {
                fprintf(stderr, "replay: '%s' has no readings\n", path);
                if (file)
                        fclose(file);
                return 2;
        }
        struct meter_reading at = { .wall_ns = ns_of(last.wall_out),
                                    .cpu_ns = ns_of(last.cpu_out),
                                    .delay_ns = -1 };
        meter_start(meter, &at, WINDOW_NS);
        for (; fread(&now, sizeof(now), 1, file) == 1; last = now, calls++) {
                all_ns += ns_of(now.cpu_in) - ns_of(last.cpu_out);
                feed(meter, &now);
        }
        fclose(file);
        at.wall_ns = ns_of(last.wall_out);
        at.cpu_ns = ns_of(last.cpu_out);
        meter_end(meter, &at);
        printf("%lld %.9f %.9f %.9f %.9f\n", (long long)calls,
               1e-9 * (double)(meter->end_ns - meter->start_ns), 1e-9 * (double)all_ns,
               1e-9 * meter->cpu_out_ns, 1e-9 * meter->divided_ns);
        return 0;
}

int main(int argc, char **argv)
{
        int code = 0;
        struct meter *meter = malloc(sizeof(*meter));
        for (int i = 1; meter && i < argc && code == 0; i++)
                code = replay(meter, argv[i]);
        free(meter);
        return meter ? code : 1;
}
