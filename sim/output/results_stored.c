/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/zstd.h"
#include "sim/output/results.h"

static void copy(FILE *in, FILE *out)
{
        char part[65536];
        for (size_t size; (size = fread(part, 1, sizeof(part), in)) > 0;)
                if (fwrite(part, 1, size, out) < size)
                        break;
}

int results_print_stored(const char *directory, enum table_format format, bool compressed,
                         FILE *out, struct lb_error *err)
{
        const char *csv = compressed ? "results.csv.zst" : "results.csv";
        const char *name = format == TABLE_JSON  ? "results.json"
                           : format == TABLE_CSV ? csv
                                                 : "overview.txt";
        char path[LB_PATH_SIZE];
        if (lb_path(path, err, "%s/%s", directory, name) < 0)
                return -1;
        FILE *in = lb_zstd_open(path);
        int status = in ? 0 : -1;
        if (in)
                copy(in, out);
        if (in && ferror(in))
                status = -1;
        int why = errno;
        if (in)
                fclose(in);
        return status == 0
                   ? 0
                   : lb_error_fail(err, "cannot read '%s': %s", path, lb_zstd_strerror(why));
}
