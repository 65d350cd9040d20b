/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: for the runtime or not, with which MPI, and are its libraries there? */
#include <stdio.h>
#include <string.h>

#include "real/launch/doctor/doctor_impl.h"

enum { LOADER_S = 10, TEXT_SIZE = 65536 };

/* The dynamic loader, asked to list, runs nothing of the program. */
static void see_libraries(struct doctor *d, const struct program *program)
{
        static char text[TEXT_SIZE];
        char *word[] = { (char *)program->path, NULL };
        int code = doctor_run(word, "LD_TRACE_LOADED_OBJECTS=1", LOADER_S, text, sizeof(text));
        const char *missing = strstr(text, "=> not found");
        if (missing) {
                const char *line = missing;
                while (line > text && line[-1] != '\n')
                        line--;
                doctor_say(d, BAD, "libraries", "install it, or set LD_LIBRARY_PATH", "%.*s",
                           (int)(missing + 12 - line), line + strspn(line, " \t"));
        } else if (code != 0) {
                doctor_say(d, NOTE, "libraries", NULL, "cannot be listed: %.200s",
                           doctor_first_line(text));
        } else {
                doctor_say(d, GOOD, "libraries", NULL, "all found");
        }
}

void doctor_see_program(struct doctor *d)
{
        struct program program;
        struct lb_error err;
        if (!d->program)
                return;
        if (program_find(&program, d->program, &err) != 0) {
                doctor_say(d, BAD, "program",
                           "write the whole line: lbrun doctor -- mpirun -n RANKS PROGRAM; "
                           "porting: docs/interface.md",
                           "%s", err.text);
                return;
        }
        d->program_mpi = program.mpi;
        memcpy(d->program_path, program.path, sizeof(d->program_path));
        doctor_say(d, GOOD, "program", NULL, "%s is built for the runtime with %s", program.path,
                   mpi_title(program.mpi));
        see_libraries(d, &program);
}
