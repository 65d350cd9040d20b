/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policies/plugged.h"
#include "real/control/job.h"

/*
 * A job as one line of words NAME=VALUE, the version first:
 *
 *      version=2 id=4711-1 system=global lewi=true ... report=/tmp/a%20b.json ...
 * runtime.poll_s=0.5 ... alloc.period_s=2 ... speed=1,0.5 graph=0,1/1,0
 *
 * One table says what its plain members are, those of parameters the others; both directions follow
 * them. In texts, %20 is the byte 20 hexadecimal: any but letters, digits and a few more, so that
 * no launcher, shell or decision log finds a separator in them. The graph is the nodes of each
 * apprank.
 *
 * A version of its own, since a program may be linked with another version than its lbrun. Version
 * 1 was JSON.
 */
enum { JOB_VERSION = 5 };
/* Also where words are more or fewer: parameters come and go between two versions. */
#define LINK_AGAIN "link the program with the library of the lbrun that starts it"

enum kind { KIND_NONE = 0, KIND_TEXT, KIND_SWITCH, KIND_WHOLE };

static const struct member {
        const char *name;
        enum kind kind;
        size_t offset;
        size_t size;      /* KIND_TEXT */
        int32_t min, max; /* KIND_WHOLE */
} members[] = {
        { "id", KIND_TEXT, offsetof(struct job, id), JOB_ID_SIZE, 0, 0 },
        { "system", KIND_TEXT, offsetof(struct job, system), 32, 0, 0 },
        { "lewi", KIND_SWITCH, offsetof(struct job, lewi), 0, 0, 0 },
        { "drom", KIND_SWITCH, offsetof(struct job, drom), 0, 0, 0 },
        { "virtual", KIND_SWITCH, offsetof(struct job, virtual_nodes), 0, 0, 0 },
        { "bound", KIND_SWITCH, offsetof(struct job, bound), 0, 0, 0 },
        { "nodes", KIND_WHOLE, offsetof(struct job, nnode), 0, 1, JOB_NODE_MAX },
        { "appranks", KIND_WHOLE, offsetof(struct job, napprank), 0, 1, JOB_APPRANK_MAX },
        { "degree", KIND_WHOLE, offsetof(struct job, degree), 0, 1, JOB_NODE_MAX },
        { "policy", KIND_TEXT, offsetof(struct job, policy), JOB_PATH_SIZE, 0, 0 },
        { "report", KIND_TEXT, offsetof(struct job, report), JOB_PATH_SIZE, 0, 0 },
        { "decisions", KIND_TEXT, offsetof(struct job, decisions), JOB_PATH_SIZE, 0, 0 },
        { "loads", KIND_TEXT, offsetof(struct job, loads), JOB_PATH_SIZE, 0, 0 },
        { "trace", KIND_TEXT, offsetof(struct job, trace), JOB_PATH_SIZE, 0, 0 },
        { "tasks", KIND_TEXT, offsetof(struct job, tasks), JOB_PATH_SIZE, 0, 0 },
        { "tasks_ordered", KIND_SWITCH, offsetof(struct job, tasks_ordered), 0, 0, 0 },
        { "contact", KIND_TEXT, offsetof(struct job, contact), JOB_PATH_SIZE, 0, 0 },
        { "content", KIND_TEXT, offsetof(struct job, content), JOB_CONTENT_SIZE, 0, 0 },
};
enum { NMEMBER = sizeof(members) / sizeof(members[0]) };

static const char *const policy_names[JOB_NPOLICY] = { [JOB_ALLOC] = "alloc",
                                                       [JOB_LEND] = "lend",
                                                       [JOB_PLACE] = "place",
                                                       [JOB_MIGRATION] = "migrate",
                                                       [JOB_GROWTH] = "grow" };

static const struct lb_param speed_param = {
        .name = "speed", .type = LB_PARAM_NUMBER, .fallback = 1, .min = 0.001, .max = 1000
};

/* ---- To text ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
static const char hexadecimal[] = "0123456789ABCDEF";

static void put_text(FILE *out, const char *text)
{
        for (; *text; text++) {
                unsigned char byte = (unsigned char)*text;
                if (strchr(letters, *text) || strchr("/._+@,:", *text))
                        fputc(*text, out);
                else
                        fprintf(out, "%%%c%c", hexadecimal[byte / 16], hexadecimal[byte % 16]);
        }
}

static void put_member(FILE *out, const struct member *member, const struct job *job)
{
        const char *at = (const char *)job + member->offset;
        fprintf(out, " %s=", member->name);
        if (member->kind == KIND_TEXT)
                put_text(out, at);
        else if (member->kind == KIND_SWITCH)
                fputs(*(const bool *)at ? "true" : "false", out);
        else
                fprintf(out, "%" PRId32, *(const int32_t *)at);
}

static void put_value(FILE *out, const struct lb_param *param, double value)
{
        char text[128];
        lb_param_format(param, value, text, sizeof(text));
        if (param->type == LB_PARAM_CHOICE)
                fputs(param->choices[(int)value], out);
        else
                fputs(text, out);
}

static void put_values(FILE *out, const char *group, const struct lb_param *table,
                       const double *values)
{
        for (size_t i = 0; table && table[i].name; i++) {
                fprintf(out, " %s.%s=", group, table[i].name);
                put_value(out, &table[i], values[i]);
        }
}

static void put_nodes(FILE *out, const struct job *job, int32_t apprank, bool sleep)
{
        const struct lb_shape *shape = &job->shape;
        int32_t first = shape->apprank_first[apprank];
        for (int32_t w = first; w < shape->apprank_first[apprank + 1]; w++)
                if ((job->sleeps && job->sleeps[w]) == sleep)
                        fprintf(out, "%s%" PRId32,
                                w > first ? ","
                                : w > 0   ? "/"
                                          : "",
                                shape->worker_node[w]);
}

/* Of each apprank those that sleep at first are last, which says that they do. */
static void put_graph(FILE *out, const struct job *job)
{
        fputs(" graph=", out);
        for (int32_t a = 0; a < job->shape.napprank; a++) {
                put_nodes(out, job, a, false);
                put_nodes(out, job, a, true);
        }
}

static void put_job(FILE *out, const struct job *job)
{
        fprintf(out, "version=%d", (int)JOB_VERSION);
        for (int i = 0; i < NMEMBER; i++)
                put_member(out, &members[i], job);
        put_values(out, "runtime", job_params, job->param);
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                put_values(out, policy_names[p], job_policy_params(job, p),
                           job_policy_values(job, p));
        for (int32_t n = 0; n < job->nnode; n++) {
                fputs(n > 0 ? "," : " speed=", out);
                put_value(out, &speed_param, job->speed[n]);
        }
        for (int32_t n = 0; n < job->nnode; n++)
                fprintf(out, "%s%" PRId32, n > 0 ? "," : " cores=", job->cores[n]);
        put_graph(out, job);
}

char *job_format(const struct job *job)
{
        struct lb_text text;
        if (lb_text_begin(&text))
                put_job(text.stream, job);
        return lb_text_end(&text);
}

/* ---- From text ---- */

/* What separates words is in none of them. */
bool job_text_is(const char *text, const char *id)
{
        char word[JOB_ID_SIZE + 8];
        int length = snprintf(word, sizeof(word), " id=%s ", id);
        return length > 0 && length < (int)sizeof(word) && strstr(text, word);
}

/* The words of a text. Each is taken by who knows its name; one that nobody takes is wrong. */
struct words {
        char *text; /* a copy, cut into pieces */
        struct word {
                const char *name;
                char *value;
                bool taken;
        } * word;
        size_t count;
        struct lb_error *err;
};

/* The piece up to a separator, or all that is left; *at is what follows, NULL where it was the
 * last. */
static char *cut(char **at, char separator)
{
        char *piece = *at, *end = strchr(piece, separator);
        if (end)
                *end = '\0';
        *at = end ? end + 1 : NULL;
        return piece;
}

/* How many pieces cut() would find. */
static size_t count_pieces(const char *text, char separator)
{
        size_t count = 1;
        for (; (text = strchr(text, separator)); text++)
                count++;
        return count;
}

static int split(struct words *words, const char *text)
{
        words->text = strdup(text);
        words->word = calloc(count_pieces(text, ' '), sizeof(*words->word));
        if (!words->text || !words->word)
                return lb_error_fail(words->err, "out of memory");
        for (char *at = words->text; at;) {
                char *value = cut(&at, ' '), *name = cut(&value, '=');
                if (!value)
                        return lb_error_set(words->err, "found '%.40s', allowed is NAME=VALUE",
                                            name);
                words->word[words->count++] = (struct word){ .name = name, .value = value };
        }
        return 0;
}

/* The value of a name, NULL where there is none. */
static char *take(struct words *words, const char *name)
{
        for (size_t i = 0; i < words->count; i++) {
                struct word *word = &words->word[i];
                if (word->taken || strcmp(word->name, name) != 0)
                        continue;
                word->taken = true;
                return word->value;
        }
        return NULL;
}

static int check_all_taken(const struct words *words)
{
        for (size_t i = 0; i < words->count; i++) {
                if (words->word[i].taken)
                        continue;
                for (size_t k = 0; k < i; k++)
                        if (strcmp(words->word[k].name, words->word[i].name) == 0)
                                return lb_error_set(words->err, "%.60s: found twice",
                                                    words->word[i].name);
                return lb_error_set(words->err,
                                    "found '%.60s', which is no member of a job: " LINK_AGAIN,
                                    words->word[i].name);
        }
        return 0;
}

static int complain(const struct words *words, const char *name, const char *found,
                    const char *allowed)
{
        const char *quote = found ? "'" : "";
        return lb_error_set(words->err, "%s: found %s%.60s%s, allowed is %s%s", name, quote,
                            found ? found : "nothing", quote, allowed,
                            found ? "" : ": " LINK_AGAIN);
}

static int read_value(const struct words *words, const char *name, const struct lb_param *param,
                      const char *text, double *value)
{
        char allowed[256];
        bool wrong = !text || (param->type == LB_PARAM_SWITCH && strcmp(text, "true") != 0 &&
                               strcmp(text, "false") != 0);
        if (!wrong && lb_param_parse(param, text, value, words->err) == 0)
                return 0;
        lb_param_allowed(param, allowed, sizeof(allowed));
        return complain(words, name, text, allowed);
}

/* Is every % followed by the two digits of a byte that may be in a text? */
static bool is_escaped(const char *text)
{
        while ((text = strchr(text, '%'))) {
                size_t digits = strspn(text + 1, hexadecimal);
                if (digits < 2 || (text[1] == '0' && text[2] == '0'))
                        return false;
                text += 3;
        }
        return true;
}

/* Replace %20 and the like in place. Returns how long the text is then. */
static size_t unescape(char *text)
{
        char *to = text;
        for (const char *from = text; *from; to++) {
                *to = *from++;
                if (*to != '%')
                        continue;
                long high = strchr(hexadecimal, from[0]) - hexadecimal;
                long low = strchr(hexadecimal, from[1]) - hexadecimal;
                *to = (char)(16 * high + low);
                from += 2;
        }
        *to = '\0';
        return (size_t)(to - text);
}

static int read_text(const struct words *words, const struct member *member, char *text, char *to)
{
        char allowed[64];
        if (text && !is_escaped(text))
                return complain(words, member->name, text, "text with %25 for '%'");
        if (text && unescape(text) < member->size) {
                memcpy(to, text, strlen(text) + 1);
                return 0;
        }
        snprintf(allowed, sizeof(allowed), "text of less than %zu bytes", member->size);
        return complain(words, member->name, text, allowed);
}

static int read_member(struct words *words, const struct member *member, struct job *job)
{
        char *at = (char *)job + member->offset;
        char *text = take(words, member->name);
        if (member->kind == KIND_TEXT)
                return read_text(words, member, text, at);
        bool is_switch = member->kind == KIND_SWITCH;
        const struct lb_param param = { .name = member->name,
                                        .type = is_switch ? LB_PARAM_SWITCH : LB_PARAM_INTEGER,
                                        .min = member->min,
                                        .max = member->max };
        double value;
        if (read_value(words, member->name, &param, text, &value) < 0)
                return -1;
        if (is_switch)
                *(bool *)at = value != 0;
        else
                *(int32_t *)at = (int32_t)value;
        return 0;
}

static int read_values(struct words *words, const char *group, const struct lb_param *table,
                       double *values)
{
        char name[128];
        for (size_t i = 0; table && table[i].name; i++) {
                snprintf(name, sizeof(name), "%s.%s", group, table[i].name);
                if (read_value(words, name, &table[i], take(words, name), &values[i]) < 0)
                        return -1;
        }
        return 0;
}

static int read_speeds(struct words *words, struct job *job)
{
        char *at = take(words, "speed");
        if (!at || count_pieces(at, ',') != (size_t)job->nnode)
                return complain(words, "speed", at, "a number per node");
        job->speed = calloc((size_t)job->nnode + 1, sizeof(double));
        if (!job->speed)
                return lb_error_fail(words->err, "out of memory");
        for (int32_t n = 0; at; n++)
                if (read_value(words, "speed", &speed_param, cut(&at, ','), &job->speed[n]) < 0)
                        return -1;
        return 0;
}

static int read_cores(struct words *words, struct job *job)
{
        const struct lb_param param = { .type = LB_PARAM_INTEGER, .min = 1, .max = JOB_CORE_MAX };
        char *at = take(words, "cores");
        if (!at || count_pieces(at, ',') != (size_t)job->nnode)
                return complain(words, "cores", at, "a number per node");
        job->cores = calloc((size_t)job->nnode + 1, sizeof(*job->cores));
        if (!job->cores)
                return lb_error_fail(words->err, "out of memory");
        for (int32_t n = 0; at; n++) {
                double value;
                if (read_value(words, "cores", &param, cut(&at, ','), &value) < 0)
                        return -1;
                job->cores[n] = (int32_t)value;
                if (job->cores[n] > job->cores_per_node)
                        job->cores_per_node = job->cores[n];
        }
        return 0;
}

/* Which nodes make a graph is not checked here. */
static int read_edges(const struct words *words, char *at, struct job *job, int32_t *first,
                      int32_t *node)
{
        const struct lb_param param = { .type = LB_PARAM_INTEGER, .max = job->nnode - 1 };
        int32_t nworker = 0;
        for (int32_t a = 0; at; a++) {
                for (char *nodes = cut(&at, '/'); nodes;) {
                        double value;
                        if (read_value(words, "graph", &param, cut(&nodes, ','), &value) < 0)
                                return -1;
                        node[nworker++] = (int32_t)value;
                }
                first[a + 1] = nworker;
        }
        if (job_set_edges(job, first, node, words->err) < 0)
                return lb_error_prefix(words->err, "graph: ");
        return 0;
}

static int read_graph(struct words *words, struct job *job)
{
        char *at = take(words, "graph");
        if (!at || count_pieces(at, '/') != (size_t)job->napprank)
                return complain(words, "graph", at, "nodes per apprank");
        int32_t *first = calloc((size_t)job->napprank + 1, sizeof(*first));
        int32_t *node = calloc(strlen(at) + 1, sizeof(*node));
        int status = first && node ? read_edges(words, at, job, first, node)
                                   : lb_error_fail(words->err, "out of memory");
        free(first);
        free(node);
        return status;
}

static int check_id(const struct words *words, const struct job *job)
{
        if (job->id[0] && job->id[strspn(job->id, letters)] == '\0')
                return 0;
        return complain(words, "id", job->id, "letters, digits and '-'");
}

/* Before anything else, for words of another version may mean anything. */
static int check_version(const char *text, struct lb_error *err)
{
        static const char key[] = "version=";
        char found[32] = "1 (JSON)", expected[16];
        if (strncmp(text, key, strlen(key)) == 0) {
                const char *value = text + strlen(key);
                snprintf(found, sizeof(found), "%.*s", (int)strcspn(value, " "), value);
        } else if (text[0] != '{') {
                return lb_error_set(err, "found '%.40s', must begin with version=%d", text,
                                    (int)JOB_VERSION);
        }
        snprintf(expected, sizeof(expected), "%d", (int)JOB_VERSION);
        if (strcmp(found, expected) == 0)
                return 0;
        return lb_error_set(err, "found version %s, allowed is %s: " LINK_AGAIN, found, expected);
}

static int read_policies(struct words *words, struct job *job)
{
        bool lewi = job->lewi, drom = job->drom;
        if (job->policy[0] && plugged_load(job->policy, words->err) < 0)
                return -1;
        char system[sizeof(job->system)];
        memcpy(system, job->system, sizeof(system));
        if (job_set_system(job, system, words->err) < 0)
                return lb_error_prefix(words->err, "system: ");
        job->lewi = lewi;
        job->drom = drom;
        for (enum job_policy p = 0; p < JOB_NPOLICY; p++)
                if (read_values(words, policy_names[p], job_policy_params(job, p),
                                job_policy_values(job, p)) < 0)
                        return -1;
        return 0;
}

static int read_job(struct words *words, const char *text, struct job *job)
{
        if (check_version(text, words->err) < 0 || split(words, text) < 0)
                return -1;
        take(words, "version");
        for (int i = 0; i < NMEMBER; i++)
                if (read_member(words, &members[i], job) < 0)
                        return -1;
        if (check_id(words, job) < 0 || read_values(words, "runtime", job_params, job->param) < 0 ||
            read_policies(words, job) < 0 || read_speeds(words, job) < 0 ||
            read_cores(words, job) < 0 || read_graph(words, job) < 0)
                return -1;
        return check_all_taken(words);
}

struct job *job_parse(const char *text, struct lb_error *err)
{
        struct words words = { .err = err };
        struct job *job = job_create(err);
        if (!job)
                return NULL;
        int status = read_job(&words, text, job);
        free(words.text);
        free(words.word);
        if (status == 0)
                return job;
        job_destroy(job);
        return NULL;
}
