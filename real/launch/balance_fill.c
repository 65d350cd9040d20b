/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/launch/balance_fill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "real/balance/cpus.h"
#include "real/launch/advise.h"
#include "real/launch/balance_report.h"
#include "real/launch/family.h"
#include "real/launch/line.h"
#include "real/launch/program.h"
#include "real/launch/words.h"
#include "real/node/cpu_groups.h"
#include "real/node/process.h"

/* ---- Which CPUs ---- */

/* A list that was being written counts when it is read again. */
static bool is_whole(const struct leaf *leaf)
{
        return leaf->mate == 0 && leaf->version % 2 == 0;
}

static void put_lists(struct balance_fill *fill, const struct balance_report *report)
{
        char host[LEAF_HOST_SIZE] = "";
        size_t used = 0;
        gethostname(host, sizeof(host) - 1);
        fill->text[0] = fill->list[0] = '\0';
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (!is_whole(leaf) || used >= sizeof(fill->text) - LEAF_TEXT_SIZE - LEAF_HOST_SIZE)
                        continue;
                used += (size_t)snprintf(fill->text + used, sizeof(fill->text) - used, "%s %s\n",
                                         leaf->host, leaf->freed[0] ? leaf->freed : "-");
                if (leaf->freed[0] && strcmp(leaf->host, host) == 0)
                        lb_text_add(fill->list, sizeof(fill->list), "%s%s",
                                    fill->list[0] ? "," : "", leaf->freed);
        }
}

static void write_file(const struct balance_fill *fill)
{
        struct lb_file file;
        struct lb_error err;
        if (lb_file_create(&file, fill->file, &err) == 0) {
                fputs(fill->text, file.stream);
                if (lb_file_commit(&file, &err) == 0)
                        return;
        }
        fprintf(stderr, "lbrun: --freed-cpus: %s\n", err.text);
}

/* ---- The second job ---- */

static bool shell_takes(const char *option, const char *text, const char *word)
{
        struct words line = { 0 };
        char said[PROGRAM_PATH_SIZE];
        const char *const words[] = { "/bin/sh", option, text, "sh", word };
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
                words_add(&line, words[i]);
        bool taken = !line.failed && advise_ask(&line, said, sizeof(said), false);
        words_finish(&line);
        return taken;
}

/* A first word that the shell would not take apart is a program, a function of its own, or wrong.
 */
int balance_fill_check(const char *command, struct lb_error *err)
{
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "/._+-:@,";
        char word[PROGRAM_PATH_SIZE], path[PROGRAM_PATH_SIZE];
        command += strspn(command, " \t\n");
        size_t length = strspn(command, plain);
        if (!*command)
                return lb_error_set(err, "--fill: found nothing, allowed is a command for sh");
        if (!shell_takes("-nc", command, ""))
                return lb_error_set(err, "--fill: '%.200s' is no command that sh can read",
                                    command);
        if (length == 0 || length >= sizeof(word) || !strchr(" \t\n;&|<>", command[length]))
                return 0;
        snprintf(word, sizeof(word), "%.*s", (int)length, command);
        if (shell_takes("-c", "command -v -- \"$1\"", word) || program_locate(word, path, err) == 0)
                return 0;
        return lb_error_prefix(err, "--fill: ");
}

static void become(const struct balance_fill *fill)
{
        cpu_set_t set;
        struct lb_error err;
        static const int plain[] = { SIGINT, SIGQUIT, SIGPIPE, SIGTERM,
                                     SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP };
        char *const words[] = { "sh", "-c", (char *)fill->command, NULL };
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
                signal(plain[i], SIG_DFL);
        if (fill->groups && cpu_groups_enter(fill->groups, 0, atoi(fill->list), &err) < 0)
                fprintf(stderr, "lbrun: --fill: %s\n", err.text);
        if (!fill->groups && cpus_parse(fill->list, &set))
                (void)sched_setaffinity(0, sizeof(set), &set);
        int nothing = open("/dev/null", O_RDONLY);
        if (nothing > 0)
                dup2(nothing, STDIN_FILENO);
        execve("/bin/sh", words, fill->environment);
        fprintf(stderr, "lbrun: --fill: sh cannot be run: %s\n", strerror(errno));
        _exit(127);
}

static bool move_thread(void *user, int32_t thread)
{
        const cpu_set_t *set = user;
        return sched_setaffinity(thread, sizeof(*set), set) == 0;
}

static void move(void *user, pid_t pid)
{
        (void)process_threads(pid, move_thread, user);
}

static void send_signal(void *user, pid_t pid)
{
        const int *signal = user;
        kill(pid, *signal);
}

static void signal_all(const struct balance_fill *fill, int signal)
{
        family_under(fill->pid, send_signal, &signal);
}

static void start(struct balance_fill *fill)
{
        fill->pid = fork();
        if (fill->pid == 0)
                become(fill);
        if (fill->pid < 0) {
                fprintf(stderr, "lbrun: --fill: cannot start a process: %s\n", strerror(errno));
                return;
        }
        line_stops_too(fill->pid);
}

static void place(struct balance_fill *fill)
{
        cpu_set_t set;
        bool none = fill->list[0] == '\0';
        if (fill->pid == 0 && !none)
                start(fill);
        else if (fill->pid > 0 && !none && fill->stopped)
                signal_all(fill, SIGCONT);
        fill->stopped = fill->pid > 0 && none;
        if (fill->pid > 0 && !none && !fill->groups && cpus_parse(fill->list, &set))
                family_under(fill->pid, move, &set);
}

void balance_fill_look(void *user)
{
        struct balance_fill *fill = user, *now = malloc(sizeof(*now));
        struct balance_report report = { 0 };
        struct lb_error err;
        if (!now || balance_report_read(&report, fill->directory, &err) < 0 || report.count == 0) {
                free(now);
                balance_report_finish(&report);
                return;
        }
        *now = *fill;
        put_lists(now, &report);
        balance_report_finish(&report);
        bool other_text = strcmp(now->text, fill->text) != 0;
        bool other_list = strcmp(now->list, fill->list) != 0;
        *fill = *now;
        free(now);
        if (other_text && fill->file)
                write_file(fill);
        if (other_list && fill->command)
                place(fill);
        if (fill->stopped) /* again: what continues the job (Ctrl-Z, fg) continues all of it */
                signal_all(fill, SIGSTOP);
}

static bool has_ended(const struct balance_fill *fill, int *status)
{
        enum { LOOK_MS = 20 };
        pid_t found = waitpid(fill->pid, status, WNOHANG);
        if (found == 0)
                nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000L }, NULL);
        return found != 0;
}

static void tell_end(const struct balance_fill *fill, int status)
{
        if (fill->pid == 0)
                fprintf(stderr, "lbrun: --fill: no CPU of this machine was free: the second job "
                                "did not run\n");
        else if (WIFSIGNALED(status))
                fprintf(stderr, "lbrun: --fill: the second job was ended by signal %d, %s\n",
                        WTERMSIG(status), strsignal(WTERMSIG(status)));
        else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
                fprintf(stderr, "lbrun: --fill: the second job ended with exit code %d\n",
                        WEXITSTATUS(status));
}

/* Until it has ended, or, when the line was to end, as long as that one's descendants have. */
static void wait_for_end(const struct balance_fill *fill, int *status)
{
        enum { GRACE = 50 };
        for (int told = 0; told < GRACE && !has_ended(fill, status);) {
                if (line_signal() && told++ == 0)
                        signal_all(fill, line_signal());
        }
        if (waitpid(fill->pid, status, WNOHANG) == 0) {
                signal_all(fill, SIGKILL);
                while (waitpid(fill->pid, status, 0) < 0 && errno == EINTR)
                        ;
        }
}

void balance_fill_end(struct balance_fill *fill)
{
        cpu_set_t own;
        int status = 0;
        fill->text[0] = '\0';
        if (fill->file)
                write_file(fill);
        if (fill->pid > 0) {
                if (sched_getaffinity(0, sizeof(own), &own) == 0)
                        family_under(fill->pid, move, &own);
                if (fill->stopped)
                        signal_all(fill, SIGCONT);
                wait_for_end(fill, &status);
        }
        line_stops_too(0);
        if (fill->command && fill->pid >= 0)
                tell_end(fill, status);
}
