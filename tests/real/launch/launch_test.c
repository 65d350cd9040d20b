/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

const char *const test_mpis[] = {
#ifdef HAVE_openmpi
        "openmpi",
#endif
#ifdef HAVE_mpich
        "mpich",
#endif
        NULL,
};

struct job *test_job(void)
{
        static const int32_t first[] = { 0, 2, 4 }, node[] = { 0, 1, 1, 0 };
        struct lb_error err;
        struct job *job = job_create(&err);
        if (!job || job_set_system(job, "local", &err) < 0)
                return NULL;
        job->nnode = job->napprank = 2;
        job->cores_per_node = 4;
        job->virtual_nodes = true;
        return job_set_edges(job, first, node, &err) < 0 ? NULL : job;
}

/* Two of one program would write to the same files, and each read what the other's job said. */
static void wait_for_others(void)
{
        static int lock = -1;
        if (lock >= 0)
                return;
        lock = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (lock < 0 || flock(lock, LOCK_EX) < 0)
                abort();
}

int test_setup(void **state)
{
        (void)state;
        wait_for_others();
        setenv("LBSIM_CACHE", "graphs", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* in programs: MPI libraries leak */
        setenv("TSAN_OPTIONS", "ignore_noninstrumented_modules=1:exitcode=66", 1);
        setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 1);
        setenv("UCX_MEM_EVENTS", "no", 1);
        static const char *const not [] = { "SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE",
                                            "SLURM_STEP_NUM_TASKS", "SLURM_HET_SIZE", "LBRUN_JOB" };
        for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
                unsetenv(not [i]);
        return 0;
}

/* ---- Starting ---- */

static char *next_word(char **rest)
{
        char *word = *rest + strspn(*rest, " ");
        if (!*word)
                return NULL;
        bool quoted = *word == '\'';
        word += quoted;
        char *end = word + strcspn(word, quoted ? "'" : " ");
        *rest = *end ? end + 1 : end;
        *end = '\0';
        return word;
}

static const char *probe(const char *word, char path[static 512])
{
        if (word[0] != '@')
                return word;
        bool is_live = strncmp(word, "@live-", strlen("@live-")) == 0;
        snprintf(path, 512, "%s/%s%s", PROBES, is_live ? "" : "probe-", word + 1);
        return path;
}

static void redirect(int to, const char *file, int flags)
{
        int fd = open(file, flags, 0600);
        if (fd < 0 || dup2(fd, to) < 0)
                _exit(99);
        close(fd);
}

static void become_lbrun(char *line, const char *input)
{
        static char paths[TEST_WORD_MAX][512];
        const char *word[TEST_WORD_MAX + 1] = { LBRUN };
        int count = 1;
        for (char *next; count < TEST_WORD_MAX && (next = next_word(&line)); count++)
                word[count] = probe(next, paths[count]);
        redirect(STDIN_FILENO, input ? input : "/dev/null", O_RDONLY);
        redirect(STDOUT_FILENO, "out", O_WRONLY | O_CREAT | O_TRUNC);
        redirect(STDERR_FILENO, "err", O_WRONLY | O_CREAT | O_TRUNC);
        execv(LBRUN, (char **)word);
        _exit(99);
}

void run_begin(struct run *run, const char *line, const char *input)
{
        char *copy = strdup(line);
        assert_non_null(copy);
        remove("out");
        remove("err");
        *run = (struct run){ .pid = fork() };
        assert_true(run->pid >= 0);
        if (run->pid == 0)
                become_lbrun(copy, input);
        free(copy);
}

/* ---- Output ---- */

static void read_text(const char *file, char *text)
{
        FILE *in = fopen(file, "r");
        size_t size = in ? fread(text, 1, TEST_TEXT_SIZE - 1, in) : 0;
        text[size] = '\0';
        if (in)
                fclose(in);
}

void run_read(struct run *run)
{
        read_text("out", run->out);
        read_text("err", run->err);
}

void run_wait(struct run *run)
{
        int status;
        assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
        run->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        run_read(run);
}

void run_line(struct run *run, const char *line)
{
        run_begin(run, line, NULL);
        run_wait(run);
}

int32_t run_ranks(const struct run *run, struct rank_line *line, int32_t max)
{
        int32_t count = 0;
        for (const char *at = run->out; at && count < max; at = strchr(at, '\n')) {
                struct rank_line *to = &line[count];
                int pid, length = 0;
                at += *at == '\n';
                if (sscanf(at, "rank %d of %d process %d host %127s action %*s job %n", &to->rank,
                           &to->size, &pid, to->host, &length) != 4 ||
                    length == 0 || !strchr(at, '\n'))
                        continue;
                to->pid = pid;
                to->job = at + length;
                count++;
        }
        return count;
}

void run_await(struct run *run, const char *text)
{
        for (int round = 0; round < 3000; round++) {
                run_read(run);
                if (strstr(run->out, text))
                        return;
                nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        }
        fail_msg("no '%s':\n%s%s", text, run->out, run->err);
}

void await_end(pid_t pid)
{
        for (int round = 0; process_lives(pid); round++) {
                if (round > 3000)
                        fail_msg("process %d lives", (int)pid);
                nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        }
}

pid_t parent_of(pid_t pid)
{
        char path[64];
        int parent = 0;
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        assert_int_equal(fscanf(in, "%*d (%*[^)]) %*c %d", &parent), 1);
        fclose(in);
        return parent;
}

pid_t child_of(pid_t pid)
{
        char path[64];
        int child = 0;
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
        FILE *in = fopen(path, "r");
        if (!in || fscanf(in, "%d", &child) != 1)
                fail_msg("no children in %s", path);
        fclose(in);
        return child;
}

void run_await_ranks(struct run *run, struct rank_line *line, int32_t count)
{
        for (int round = 0; round < 3000; round++) {
                run_read(run);
                if (run_ranks(run, line, count) == count)
                        return;
                nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        }
        fail_msg("ranks did not start:\n%s%s", run->out, run->err);
}

struct job *run_job(const struct run *run)
{
        struct rank_line line[TEST_WORD_MAX];
        struct lb_error err;
        int32_t count = run_ranks(run, line, TEST_WORD_MAX);
        assert_true(count > 0);
        size_t length = strcspn(line[0].job, "\n");
        for (int32_t i = 1; i < count; i++)
                assert_int_equal(strncmp(line[i].job, line[0].job, length + 1), 0);
        char *text = strndup(line[0].job, length);
        struct job *job = job_parse(text, &err);
        free(text);
        if (!job)
                fail_msg("%s", err.text);
        assert_int_equal(job->nworker, count);
        assert_int_equal(job->nworker, line[0].size);
        return job;
}

/* ---- Processes and segments ---- */

bool process_lives(pid_t pid)
{
        char path[64], state = 'X';
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        FILE *in = fopen(path, "r");
        if (!in)
                return false;
        if (fscanf(in, "%*d (%*[^)]) %c", &state) != 1)
                state = 'X';
        fclose(in);
        return state != 'Z' && state != 'X';
}

int32_t segments_of(const char *id)
{
        int32_t count = 0;
        DIR *directory = opendir("/dev/shm");
        for (struct dirent *entry; directory && (entry = readdir(directory));)
                count += strstr(entry->d_name, id) != NULL;
        if (directory)
                closedir(directory);
        return count;
}
