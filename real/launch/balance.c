/* SPDX-License-Identifier: BSD-3-Clause */
/* lbrun --system packing -- LAUNCHER ... PROGRAM: programs that nobody rewrote. */
#include "real/launch/balance.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "policies/plugged.h"
#include "real/balance/cpus.h"
#include "real/balance/setup.h"
#include "real/launch/balance_auto.h"
#include "real/launch/balance_fill.h"
#include "real/launch/balance_impl.h"
#include "real/launch/balance_report.h"
#include "real/launch/command.h"
#include "real/launch/compare.h"
#include "real/launch/hosts.h"
#include "real/launch/janitor.h"
#include "real/launch/line.h"
#include "real/node/board.h"

enum { REFUSED = 2, NOT_BALANCED = 125, PATH_SIZE = PROGRAM_PATH_SIZE };

/* ---- Command line ---- */

static bool needs_launcher(const char *system)
{
        static const char *const names[] = { "packing", "dpb", "auto" };
        for (size_t i = 0; system && i < sizeof(names) / sizeof(names[0]); i++)
                if (strcmp(system, names[i]) == 0)
                        return true;
        return false;
}

bool balance_is_meant(const struct options *options)
{
        char late[PATH_SIZE];
        return line_is_launcher(options->program[0]) || needs_launcher(options->system) ||
               line_begins_late(options->program, late, sizeof(late))[0];
}

/* ---- Files ---- */

static int set_path(char path[static JOB_PATH_SIZE], const char *option, const char *file,
                    struct lb_error *err)
{
        if (file && plan_path(path, file, err) < 0)
                return lb_error_prefix(err, "--%s: ", option);
        return 0;
}

static int set_paths(struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        if (set_path(b->decisions, "decisions", o->decisions, err) < 0 ||
            set_path(b->report, "report", o->report, err) < 0 ||
            set_path(b->freed_cpus, "freed-cpus", o->freed_cpus, err) < 0)
                return -1;
        if (o->decisions)
                b->claim = claim_create(b->decisions, err);
        if (o->decisions && (!b->claim || node_logs_begin(&b->logs, b->decisions, 0, err) < 0))
                return lb_error_prefix(err, "--decisions: ");
        return 0;
}

/* Where ranks on other nodes see it, too, if that is possible. */
static int make_directory(struct balancing *b, struct lb_error *err)
{
        const char *temporary = getenv("TMPDIR"),
                   *place[] = { ".", temporary ? temporary : "/tmp" };
        for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
                char *whole = realpath(place[i], NULL);
                int size =
                    whole ? snprintf(b->directory, sizeof(b->directory), "%s/.lbrun-XXXXXX", whole)
                          : PATH_SIZE;
                free(whole);
                if (size < PATH_SIZE && mkdtemp(b->directory))
                        return chmod(b->directory, 0755);
        }
        return lb_error_fail(err, "no directory for the job can be made: %s", strerror(errno));
}

/* CPUs that we may use ourselves are those that the ranks of this machine may. */
static void write_limit(FILE *out)
{
        char host[LEAF_HOST_SIZE] = "host", list[SETUP_VALUE_SIZE];
        cpu_set_t own;
        gethostname(host, sizeof(host) - 1);
        if (sched_getaffinity(0, sizeof(own), &own) < 0)
                return;
        cpus_format(&own, list, sizeof(list));
        fprintf(out, "cpu_limit %s %s\n", host, list);
}

static int write_setup(const struct balancing *b, struct lb_error *err)
{
        const struct options *o = b->options;
        char path[PATH_SIZE + 16], named[BALANCE_NAMED][BALANCE_NAMED_SIZE];
        struct lb_file file;
        balance_name_options(o, named);
        snprintf(path, sizeof(path), "%s/" SETUP_FILE, b->directory);
        if (lb_file_create(&file, path, err) < 0)
                return -1;
        fprintf(file.stream, "system %s\njob %s\n", b->system, b->id);
        if (o->policy)
                fprintf(file.stream, "policy %s\n", plugged_at(0)->path);
        if (o->or_run)
                fputs("or_run 1\n", file.stream);
        if (o->quiet)
                fputs("quiet 1\n", file.stream);
        if (o->nnode > 0)
                fprintf(file.stream, "nodes %" PRId32 "\n", o->nnode);
        if (o->decisions)
                fprintf(file.stream, "decisions %s\n", b->decisions);
        for (int32_t i = 0; i < o->param.count; i++)
                fprintf(file.stream, "param %s\n", o->param.text[i]);
        for (int i = 0; i < BALANCE_NAMED; i++)
                if (named[i][0])
                        fprintf(file.stream, "param %s\n", named[i]);
        if (o->virtual_cpus)
                fprintf(file.stream, "cpus %" PRId32 " %" PRId32, b->nnode, o->cores);
        for (int32_t n = 0; o->virtual_cpus && n < b->nnode; n++)
                fprintf(file.stream, ",%.17g%s", b->speed * b->factor[n],
                        n + 1 == b->nnode ? "\n" : "");
        write_limit(file.stream);
        return lb_file_commit(&file, err);
}

/* ---- Running ---- */

/* The launcher's, or, where a rank has ended the job by itself, that of the first one that did. */
static int code_of(const struct balance_report *report, int code)
{
        const struct leaf *first = NULL;
        for (int32_t i = 0; i < report->count; i++) {
                const struct leaf *leaf = &report->leaf[i];
                if (leaf->state == LEAF_LEFT && leaf->code != 0 &&
                    (!first || leaf->left_ns < first->left_ns))
                        first = leaf;
        }
        return first ? first->code : code;
}

/* --compare: what was predicted of an iteration, beside the one that came. */
static void compare(const struct balance_report *report)
{
        double live_s = balance_live_s(report);
        if (report->simulated_s > 0 && live_s > 0)
                compare_say(report->simulated_s, live_s);
        else
                fprintf(stderr, "lbrun: --compare: %s\n",
                        live_s > 0 ? "lbsim simulates no such job: no loads were measured that a "
                                     "system could change, or nodes have unequal numbers of ranks"
                                   : "no iterations were measured");
}

/* MPICH's launcher can take ranks that were killed for a good end: where its proxy has had a
 * SIGPIPE, or a rank has called exit(0), for which it kills the others. That one is named then. */
static int code_of_dead(const struct balance_report *report)
{
        const struct leaf *dead = balance_report_first(report, LEAF_RUNS);
        const struct leaf *cause = balance_report_first(report, LEAF_LEFT);
        if (!dead)
                return 0;
        cause = cause ? cause : dead;
        fprintf(stderr,
                "lbrun: rank %" PRId32 " (process %" PRId64 " on host %s) ended without "
                "MPI_Finalize(), ",
                cause->rank, cause->pid, cause->host);
        if (cause != dead)
                fprintf(stderr, "and rank %" PRId32 " was killed for it, ", dead->rank);
        fputs("which the launcher takes for a good end\n", stderr);
        return 1;
}

/* The logs of nodes that write elsewhere than here. */
static void tell_logs(const struct balancing *b, struct balance_report *report, bool failed)
{
        int32_t nnode = report->count > 0 ? report->leaf[0].nnode : 0;
        char **host = nnode > 0 ? calloc((size_t)nnode, sizeof(*host)) : NULL;
        for (int32_t i = 0; host && i < report->count; i++)
                if (report->leaf[i].node >= 0 && report->leaf[i].node < nnode)
                        host[report->leaf[i].node] = report->leaf[i].host;
        for (int32_t n = 0; host && n < nnode; n++)
                if (!host[n])
                        host[n] = "none of its ranks is known";
        if (host)
                node_logs_tell(&b->logs, nnode, host, failed);
        free(host);
}

/* The folder is in the working directory, which may go while the program runs: its ranks need no
 * more of it, and end as they would, but what was done for them is not known. */
static bool is_gone(const char *directory)
{
        return access(directory, F_OK) < 0 && errno == ENOENT;
}

static int conclude_unknown(const struct balancing *b, int code)
{
        const struct options *o = b->options;
        fprintf(stderr,
                "lbrun: the job's folder '%s' was removed while the program ran: what was done for "
                "its ranks is not known\n",
                b->directory);
        return code == 0 && (o->report || o->decisions || o->compare) ? NOT_BALANCED : code;
}

/* What there was to say, whatever the program's end. */
static int conclude(const struct balancing *b, struct balance_report *report, int code,
                    struct lb_error *err)
{
        const struct options *o = b->options;
        if (is_gone(b->directory))
                return conclude_unknown(b, code);
        if (balance_report_read(report, b->directory, err) < 0)
                return -1;
        balance_predict(report, b->directory, &o->param, o->report || o->compare);
        bool none = report->count == 0 && !report->wrong[0] && code == 0;
        if (none)
                snprintf(report->wrong, sizeof(report->wrong),
                         "no rank could be balanced: the program is linked statically, has no MPI, "
                         "or did not come to MPI_Init, which sessions do without");
        if (report->wrong[0])
                fprintf(stderr, "lbrun: %s: %s\n", o->or_run ? "not balanced" : "error",
                        report->wrong);
        else if (!o->quiet)
                balance_report_print(report, stderr);
        if (o->decisions && !report->wrong[0])
                tell_logs(b, report, code != 0);
        if (o->compare)
                compare(report);
        balance_report_end(report, line_signal(), code);
        if (o->report && balance_report_write(report, b->report, err) < 0)
                return -1;
        if (report->wrong[0] && !o->or_run)
                return none ? NOT_BALANCED : code == 0 || code == REFUSED ? REFUSED : code;
        return code == 0 ? code_of_dead(report) : code_of(report, code);
}

/* What goes on beside the program. */
struct beside {
        const char *directory;     /* of the ranks */
        struct balance_fill *fill; /* NULL: none */
        struct balance_auto *automatic;
};

static void look_beside(void *user)
{
        struct beside *beside = user;
        if (beside->automatic)
                balance_auto_look(beside->automatic);
        if (beside->fill)
                balance_fill_look(beside->fill);
}

static bool find_hosts(void *user, struct hosts *hosts)
{
        const struct beside *beside = user;
        struct balance_report ranks = { 0 };
        struct lb_error err;
        bool known = balance_report_read(&ranks, beside->directory, &err) == 0 && ranks.count > 0;
        for (int32_t i = 0; known && i < ranks.count; i++) {
                known = ranks.leaf[i].size == ranks.count;
                hosts_add(hosts, ranks.leaf[i].host, ranks.leaf[i].state == LEAF_RUNS);
        }
        balance_report_finish(&ranks);
        return known;
}

static int run_line(struct balancing *b, char *const *line, char **environment,
                    struct lb_error *err)
{
        const struct options *o = b->options;
        struct balance_fill fill = { .directory = b->directory,
                                     .command = o->fill,
                                     .file = o->freed_cpus ? b->freed_cpus : NULL,
                                     .environment = environment,
                                     .groups = o->virtual_cpus ? &b->groups : NULL };
        struct balance_auto automatic = { .directory = b->directory,
                                          .param = &o->param,
                                          .quiet = o->quiet };
        struct beside beside = { b->directory, o->fill || o->freed_cpus ? &fill : NULL,
                                 strcmp(b->system, "auto") == 0 ? &automatic : NULL };
        struct line_watch watch = { .look = beside.fill || beside.automatic ? look_beside : NULL,
                                    .hosts = find_hosts,
                                    .user = &beside };
        struct balance_report report = { .system = b->system };
        double start_s = clock_s(), joules = balance_joules();
        int code = line_run(line, &watch, err);
        report.duration_s = clock_s() - start_s;
        report.chosen = automatic.chosen.system;
        report.simulated_s = automatic.chosen.time_s;
        report.simulated_cpus = automatic.chosen.cpus;
        report.joules = joules < 0 ? -1 : balance_joules() - joules;
        balance_fill_end(&fill);
        if (code >= 0)
                code = conclude(b, &report, code, err);
        balance_report_finish(&report);
        return code;
}

static int run_in_place(struct balancing *b, struct lb_error *err)
{
        struct words line = { 0 }, environment = { 0 };
        char job[JOB_ID_SIZE + 16], spins[BALANCE_SPIN_SIZE];
        struct line_preload preload = { b->library, { { SETUP_VARIABLE, b->directory } } };
        snprintf(job, sizeof(job), "balance id=%s .", b->id);
        int code = -1;
        bool made = balance_make_cpus(b, err) == 0 && write_setup(b, err) == 0;
        bool ready = job_to_environment(job) == 0 && command_ready() == 0;
        preload.set[1] = balance_spin(b->options->program, spins);
        for (char **variable = environ; *variable; variable++) /* which line_make() may change */
                words_add(&environment, *variable);
        if (made && line_make(&line, b->mpi, b->options->program, &preload, err) == 0) {
                if (!ready || line.failed || environment.failed)
                        lb_error_fail(err, "out of memory");
                else
                        code = run_line(b, line.word, environment.word, err);
        }
        words_finish(&line);
        words_finish(&environment);
        free(b->factor);
        return code;
}

/* Whatever comes, what was made is removed: by us, or by the janitor. */
static int run_job(struct balancing *b, struct lb_error *err)
{
        struct timespec since;
        struct janitor janitor = { .directory = b->directory };
        clock_gettime(CLOCK_REALTIME_COARSE, &since);
        board_clean(NULL);
        cpu_groups_clean(NULL);
        if (make_directory(b, err) < 0)
                return -1;
        janitor_start(&janitor, b->id, &since);
        int code = run_in_place(b, err);
        board_clean(b->id);
        cpu_groups_clean(b->id);
        line_clean(&since);
        line_remove(b->directory);
        janitor_stop(&janitor);
        return code;
}

int balance_run(const struct options *options, struct lb_error *err)
{
        struct balancing *b = calloc(1, sizeof(*b));
        if (!b)
                return lb_error_fail(err, "out of memory");
        b->options = options;
        int code = -1;
        if (balance_check(b, err) == 0 && plan_id(b->id, err) == 0 && set_paths(b, err) == 0)
                code = run_job(b, err);
        node_logs_finish(&b->logs);
        claim_destroy(b->claim);
        free(b);
        return code;
}
