/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
/*
 * Do with DLB what a transcript tells, and write it again with the answers found:
 *
 *   transcript FILE         with the DLB that LBRUN_DLB_LIB names
 *   transcript --version    of that
 *
 * A line is "PROCESS OPERATION ARGUMENT -> ANSWER"; a process is a letter, and begins to exist with
 * its first line. Masks are "0,1,2", or "-". Lines that begin with '#' and empty ones are copied;
 * "== TEXT" begins a scenario: all processes end, and the node is a new one. So a transcript that
 * was recorded on the real library is the test for the stand-in.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "real/node/dlb.h"
#include "real/node/dlb_library.h"

enum { PROCESSES = 4, NCPU = 8, WORD = 128 };

struct order {
        char operation[WORD], argument[WORD];
};

struct actor {
        pid_t pid;
        int channel;
};

static struct actor actors[PROCESSES];
static char key[32];
static int scenario;

static _Noreturn void fail(const char *what)
{
        fprintf(stderr, "transcript: %s\n", what);
        exit(2);
}

static cpu_set_t mask_of(const char *text)
{
        cpu_set_t mask;
        CPU_ZERO(&mask);
        while (*text >= '0' && *text <= '9') {
                char *end;
                CPU_SET((size_t)strtol(text, &end, 10), &mask);
                text = *end == ',' ? end + 1 : end;
        }
        return mask;
}

static int start(const struct dlb_library *library, const char *mask_text)
{
        char text[256], machine[32];
        cpu_set_t mask = mask_of(mask_text);
        snprintf(text, sizeof(text),
                 "--lewi --drom --mode=polling --lewi-affinity=mask --no-ompt --no-barrier "
                 "--no-talp --quiet --shm-size-multiplier=4 --shm-key=lb%s_%d",
                 key, scenario);
        snprintf(machine, sizeof(machine), "core:%d 1", NCPU);
        setenv("HWLOC_SYNTHETIC", machine, 1);
        return library->init(0, &mask, text);
}

/* The answer as text: a number, for variables what they are. */
static void perform(const struct dlb_library *library, const struct order *o,
                    char answer[static WORD])
{
        int core = atoi(o->argument), code = -99, count = 0;
        cpu_set_t mask = mask_of(o->argument);
        if (strcmp(o->operation, "start") == 0)
                code = start(library, o->argument);
        else if (strcmp(o->operation, "lend") == 0)
                code = library->lend(core);
        else if (strcmp(o->operation, "borrow") == 0)
                code = library->borrow(core);
        else if (strcmp(o->operation, "reclaim") == 0)
                code = library->reclaim(core);
        else if (strcmp(o->operation, "return") == 0)
                code = library->give_back(core);
        else if (strcmp(o->operation, "check") == 0)
                code = library->is_mine(core);
        else if (strcmp(o->operation, "own") == 0)
                code = library->set_mask(0, &mask, 0);
        else if (strcmp(o->operation, "poll") == 0)
                code = library->poll();
        else if (strcmp(o->operation, "cpus") == 0)
                code = library->count_cpus(&count) == 0 ? count : -99;
        else if (strcmp(o->operation, "end") == 0)
                code = library->finalize();
        snprintf(answer, WORD, "%d", code);
        if (strcmp(o->operation, "variable") == 0) {
                char value[4096] = "unknown";
                library->get_variable(o->argument, value);
                snprintf(answer, WORD, "%.100s", value);
        }
}

static _Noreturn void act(int channel)
{
        struct lb_error err;
        struct dlb_library library;
        struct order order;
        char answer[WORD];
        if (dlb_library_load(&library, &err) < 0)
                fail(err.text);
        while (recv(channel, &order, sizeof(order), 0) == sizeof(order)) {
                perform(&library, &order, answer);
                if (send(channel, answer, sizeof(answer), MSG_NOSIGNAL) < 0)
                        break;
        }
        _exit(0);
}

static void create(struct actor *actor)
{
        int pair[2];
        fflush(stdout);
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
                fail(strerror(errno));
        actor->pid = fork();
        if (actor->pid == 0) {
                for (int i = 0; i < PROCESSES; i++)
                        if (actors[i].channel)
                                close(actors[i].channel);
                close(pair[0]);
                act(pair[1]);
        }
        close(pair[1]);
        actor->channel = pair[0];
}

static void ask(char letter, const struct order *order)
{
        char answer[WORD] = "none: it has ended";
        int number = letter - 'A';
        if (number < 0 || number >= PROCESSES)
                fail("a process must be A to D");
        if (!actors[number].pid)
                create(&actors[number]);
        if (send(actors[number].channel, order, sizeof(*order), MSG_NOSIGNAL) < 0 ||
            recv(actors[number].channel, answer, sizeof(answer), 0) <= 0)
                fail("a process has ended");
        printf("%c %s %s -> %s\n", letter, order->operation, order->argument, answer);
}

static void end_all(void)
{
        for (int i = 0; i < PROCESSES; i++) {
                if (!actors[i].pid)
                        continue;
                close(actors[i].channel);
                waitpid(actors[i].pid, NULL, 0);
                actors[i] = (struct actor){ 0 };
        }
        dlb_segments_clean(key, -1);
        scenario++;
}

static void do_line(const char *line)
{
        struct order order;
        char letter;
        if (strncmp(line, "==", 2) == 0)
                end_all();
        if (line[0] == '#' || line[0] == '=' || line[0] == '\n')
                fputs(line, stdout);
        else if (sscanf(line, "%c %127s %127s", &letter, order.operation, order.argument) == 3)
                ask(letter, &order);
        else
                fail(line);
}

static void print_version(void)
{
        struct dlb_probe probe;
        dlb_probe(&probe);
        if (!probe.usable)
                fail(probe.why);
        printf("%d.%d.%d\n", (int)probe.major_version, (int)probe.minor, (int)probe.patch);
}

int main(int argc, char **argv)
{
        char line[512];
        if (argc == 2 && strcmp(argv[1], "--version") == 0) {
                print_version();
                return 0;
        }
        FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
        if (!in)
                fail("Usage: transcript FILE");
        alarm(60);
        snprintf(key, sizeof(key), "transcript-%d", (int)getpid());
        while (fgets(line, sizeof(line), in))
                do_line(line);
        end_all();
        fclose(in);
        return 0;
}
