/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/program.h"

#include "base/hash.h"
#include "base/self.h"
#include "real/launch/words.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

const char *mpi_name(enum mpi mpi)
{
        static const char *const names[] = { "none", "openmpi", "mpich" };
        return names[mpi];
}

const char *mpi_title(enum mpi mpi)
{
        static const char *const titles[] = { "no MPI", "Open MPI", "MPICH" };
        return titles[mpi];
}

/* ---- Where ---- */

static int locate_here(const char *name, char *path, struct lb_error *err)
{
        struct stat status;
        if ((size_t)snprintf(path, PROGRAM_PATH_SIZE, "%s", name) >= PROGRAM_PATH_SIZE) {
                lb_error_set(err, "program '%.60s...' has too long a name", name);
                return NOT_FOUND;
        }
        if (stat(path, &status) < 0) {
                lb_error_set(err, "program '%s' cannot be found: %s", name, strerror(errno));
                return errno == EACCES ? NOT_EXECUTABLE : NOT_FOUND;
        }
        if (!S_ISREG(status.st_mode)) {
                lb_error_set(err, "program '%s' is not a file%s", name,
                             S_ISDIR(status.st_mode) ? ", but a directory" : "");
                return NOT_EXECUTABLE;
        }
        if (access(path, X_OK) < 0) {
                lb_error_set(err, "program '%s' cannot be run: %s", name, strerror(errno));
                return NOT_EXECUTABLE;
        }
        return 0;
}

int program_locate(const char *name, char path[static PROGRAM_PATH_SIZE], struct lb_error *err)
{
        if (strchr(name, '/'))
                return locate_here(name, path, err);
        const char *rest = getenv("PATH");
        while (rest && name[0]) {
                int length = (int)strcspn(rest, ":");
                struct stat status;
                int size = snprintf(path, PROGRAM_PATH_SIZE, "%.*s/%s", length ? length : 1,
                                    length ? rest : ".", name);
                if (size < PROGRAM_PATH_SIZE && stat(path, &status) == 0 &&
                    S_ISREG(status.st_mode) && access(path, X_OK) == 0)
                        return 0;
                rest = rest[length] ? rest + length + 1 : NULL;
        }
        bool here = access(name, F_OK) == 0;
        lb_error_set(err, "program '%.200s' is not found on PATH%s%.200s%s", name,
                     here ? ", did you mean './" : "", here ? name : "", here ? "'?" : "");
        return NOT_FOUND;
}

/* ---- What ---- */

static int not_for_runtime(const struct program *program, const struct program_elf *elf,
                           struct lb_error *err)
{
        char path[2 * PROGRAM_PATH_SIZE] = "", *word[] = { (char *)(uintptr_t)program->path, NULL };
        FILE *out = elf->needs ? fmemopen(path, sizeof(path) - 1, "w") : NULL;
        if (out) {
                words_print_shell(word, out);
                fclose(out);
        }
        return lb_error_set(err,
                            "program '%.200s' is not built for the runtime (%s%s): link it with "
                            "liblbrun-openmpi or liblbrun-mpich%s%.200s",
                            program->path, elf->needs ? "it links " : "it links no MPI library",
                            elf->needs ? mpi_title(elf->needs) : "",
                            elf->needs ? "; what balancing it would bring, as it is, says lbrun "
                                         "advise -- mpirun -n RANKS "
                                       : "",
                            path);
}

/* "lbrun abi=1 mpi=openmpi" */
static int read_note(struct program *program, const struct program_elf *elf, struct lb_error *err)
{
        int abi = 0;
        char name[16] = "";
        if (!elf->note[0])
                return not_for_runtime(program, elf, err);
        if (sscanf(elf->note, "lbrun abi=%d mpi=%15s", &abi, name) != 2 || abi != PROGRAM_ABI)
                return lb_error_set(err,
                                    "program '%s' is built for another version of the runtime "
                                    "(found '%s', allowed is abi=%d): link it again",
                                    program->path, elf->note, PROGRAM_ABI);
        for (enum mpi mpi = MPI_OPENMPI; mpi <= MPI_MPICH; mpi++)
                if (strcmp(name, mpi_name(mpi)) == 0)
                        program->mpi = mpi;
        if (program->mpi == MPI_NONE)
                return lb_error_set(err,
                                    "program '%s' is built for MPI '%s', allowed are openmpi and "
                                    "mpich",
                                    program->path, name);
        if (elf->needs != MPI_NONE && elf->needs != program->mpi)
                return lb_error_set(err,
                                    "program '%s' is built with the runtime library for %s, but "
                                    "links %s: link liblbrun-%s",
                                    program->path, mpi_title(program->mpi), mpi_title(elf->needs),
                                    mpi_name(elf->needs));
        return 0;
}

static int inspect_image(void *user, const unsigned char *image, size_t size, struct lb_error *err)
{
        struct program *program = user;
        struct program_elf elf;
        if (program_elf_read(&elf, image, size, err) < 0)
                return lb_error_prefix(err, "program '%s': ", program->path);
        return read_note(program, &elf, err);
}

typedef int (*image_reader)(void *user, const unsigned char *image, size_t size,
                            struct lb_error *err);

static int read_image(const char *path, int fd, image_reader read, void *user, struct lb_error *err)
{
        struct stat status;
        if (fstat(fd, &status) < 0)
                return lb_error_fail(err, "program '%s' cannot be read: %s", path, strerror(errno));
        if (status.st_size == 0)
                return lb_error_set(err, "program '%s': it is empty", path);
        size_t size = (size_t)status.st_size;
        void *image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image == MAP_FAILED)
                return lb_error_fail(err, "program '%s' cannot be read: %s", path, strerror(errno));
        int failed = read(user, image, size, err);
        munmap(image, size);
        return failed;
}

int program_own(char path[static PROGRAM_PATH_SIZE], const char *name, struct lb_error *err)
{
        static const char *const place[] = { "lib", LB_LIBRARY_FROM_BIN };
        char own[LB_SELF_SIZE];
        lb_self_folder(own);
        for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
                if (snprintf(path, PROGRAM_PATH_SIZE, "%.2000s/%s/%s", own, place[i], name) <
                        PROGRAM_PATH_SIZE &&
                    access(path, R_OK) == 0)
                        return 0;
        return lb_error_fail(err, "'%s' is not installed", path);
}

void program_content(const char *path, char text[static PROGRAM_CONTENT_SIZE])
{
        struct lb_content content;
        struct lb_error err;
        text[0] = '\0';
        if (lb_hash_file(path, &content, &err) == 0)
                snprintf(text, PROGRAM_CONTENT_SIZE, "%016" PRIx64, content.hash);
}

int program_find(struct program *program, const char *name, struct lb_error *err)
{
        *program = (struct program){ .mpi = MPI_NONE };
        int code = program_locate(name, program->path, err);
        if (code)
                return code;
        int fd = open(program->path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
                lb_error_set(err,
                             "program '%s' cannot be read, which lbrun must to see which MPI "
                             "it uses: %s",
                             program->path, strerror(errno));
                return NOT_EXECUTABLE;
        }
        int failed = read_image(program->path, fd, inspect_image, program, err);
        close(fd);
        return failed ? NOT_EXECUTABLE : 0;
}

static int ask_loader(void *interpreted, const unsigned char *image, size_t size,
                      struct lb_error *err)
{
        struct program_elf elf;
        if (program_elf_read(&elf, image, size, err) < 0)
                return -1;
        *(bool *)interpreted = elf.interpreted;
        return 0;
}

bool program_is_static(const char *path)
{
        struct lb_error err;
        bool interpreted = true;
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return false;
        int failed = read_image(path, fd, ask_loader, &interpreted, &err);
        close(fd);
        return !failed && !interpreted;
}
