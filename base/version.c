/* SPDX-License-Identifier: BSD-3-Clause */
/* "--version": what to name in a report of a fault. */
#include "base/build.h"
#include "base/data.h"
#include "base/option.h"

/* Commit, compiler and libraries are in a file (base/built.cmake), which a copied program lacks. */
void lb_program_version(const struct lb_program *program, FILE *out)
{
        char build[LB_BUILD_SIZE], path[LB_DATA_PATH_SIZE], line[1024];
        lb_build_program(build);
        fprintf(out, "%s %s\nbuild %s\n", program->name, program->version, build);
        FILE *built = lb_data_find(".", "built.txt", path) ? fopen(path, "r") : NULL;
        while (built && fgets(line, sizeof(line), built))
                fputs(line, out);
        if (built)
                fclose(built);
}
