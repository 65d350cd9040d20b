/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/commands/gain_machine.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "models/platform.h"
#include "sim/engine/sim.h"

/* Where nothing is measured a constant may be so many times more, or less, than it is by default:
 * an assumption. */
static const double ASSUMED = 3;

static const struct {
        const char *section, *inner, *name;
        const struct lb_param *param;
        bool gains; /* more of it costs less */
} constants[GAIN_CONSTANTS] = {
        { "platform", "network", "latency_us", &network_params[NETWORK_LATENCY_US], false },
        { "platform", "network", "bandwidth_GBps", &network_params[NETWORK_BANDWIDTH_GBPS], true },
        { "platform", "network", "message_cpu_us", &network_params[NETWORK_MESSAGE_CPU_US], false },
        { "runtime", NULL, "create_us", &runtime_params[RUNTIME_CREATE_US], false },
        { "runtime", NULL, "task_us", &runtime_params[RUNTIME_TASK_US], false },
        { "runtime", NULL, "message_poll_us", &runtime_params[RUNTIME_MESSAGE_POLL_US], false },
};

/* As in "platform.network.latency_us". */
static void path_of(int c, char path[static GAIN_PATH_SIZE])
{
        snprintf(path, GAIN_PATH_SIZE, "%s%s%s.%s", constants[c].section,
                 constants[c].inner ? "." : "", constants[c].inner ? constants[c].inner : "",
                 constants[c].name);
}

static void put_ends(struct gain_machine *machine, int c, double low, double high)
{
        struct gain_constant *constant = &machine->constant[c];
        path_of(c, constant->path);
        constant->known = low >= high;
        constant->cheap = constants[c].gains ? high : low;
        constant->dear = constants[c].gains ? low : high;
}

static void assume(struct gain_machine *machine, int c)
{
        const struct lb_param *param = constants[c].param;
        put_ends(machine, c, fmax(param->min, param->fallback / ASSUMED),
                 fmin(param->max, param->fallback * ASSUMED));
}

static const cJSON *enter(const cJSON *object, const char *key)
{
        return key ? cJSON_GetObjectItemCaseSensitive(object, key) : object;
}

/* A number that the constant may have. */
static int read_end(const struct lb_json *doc, int c, const cJSON *interval, const char *key,
                    double *value, struct lb_error *err)
{
        char path[GAIN_PATH_SIZE], pointer[2 * GAIN_PATH_SIZE];
        struct lb_error wrong = { 0 };
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(interval, key);
        *value = cJSON_IsNumber(item) ? item->valuedouble : NAN;
        if (cJSON_IsNumber(item) && lb_param_check(constants[c].param, *value, &wrong) == 0)
                return 0;
        path_of(c, path);
        snprintf(pointer, sizeof(pointer), "/measured/%s%s%s", path, item ? "/" : "",
                 item ? key : "");
        return lb_json_complain(doc, pointer, err, "\"%s\" must be a number from %g to %g", key,
                                constants[c].param->min, constants[c].param->max);
}

/* What is measured has its interval, what is written beside it is known, and the rest nobody
 * knows. */
static int read_constant(struct gain_machine *machine, const struct lb_json *doc, int c,
                         struct lb_error *err)
{
        char path[GAIN_PATH_SIZE];
        double low, high;
        path_of(c, path);
        const cJSON *section = enter(enter(doc->root, constants[c].section), constants[c].inner);
        const cJSON *value = enter(section, constants[c].name);
        const cJSON *interval = enter(enter(doc->root, "measured"), path);
        if (!value) {
                assume(machine, c);
        } else if (!interval) {
                put_ends(machine, c, 0, 0);
        } else {
                if (read_end(doc, c, interval, "low", &low, err) < 0 ||
                    read_end(doc, c, interval, "high", &high, err) < 0)
                        return -1;
                if (low > high)
                        return lb_json_complain(doc, "/measured", err,
                                                "%s: low %g is above high %g", path, low, high);
                put_ends(machine, c, low, high);
                machine->measured = true;
        }
        return 0;
}

int gain_machine_read(struct gain_machine *machine, const char *file, struct lb_error *err)
{
        struct lb_json doc;
        int status = 0;
        *machine = (struct gain_machine){ .measured = false };
        for (int c = 0; c < GAIN_CONSTANTS && !file; c++)
                assume(machine, c);
        if (!file)
                return 0;
        if (lb_json_open(&doc, file, err) < 0)
                return -1;
        for (int c = 0; c < GAIN_CONSTANTS && status == 0; c++)
                status = read_constant(machine, &doc, c, err);
        lb_json_close(&doc);
        return status;
}

bool gain_machine_is_known(const struct gain_machine *machine)
{
        bool known = true;
        for (int c = 0; c < GAIN_CONSTANTS; c++)
                known &= machine->constant[c].known;
        return known;
}

void gain_machine_line(const struct gain_machine *machine, const char *file, bool ends, char *line,
                       size_t size)
{
        const char *hold = !ends || gain_machine_is_known(machine) ? ""
                           : machine->measured ? "; ranges hold their 95 % intervals"
                                               : "; ranges hold a third to three times of them";
        if (file)
                snprintf(line, size, "costs of tasks and messages: %s%s", file, hold);
        else
                snprintf(line, size,
                         "costs of tasks and messages: assumed, not measured here (lbsim "
                         "calibrate)%s",
                         hold);
}
