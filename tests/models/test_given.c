/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "models/load.h"
#include "models/workload.h"

/*
 * loads.json: load vectors that the benchmark of ICPP'22 drew, in microseconds
 * per task, with the imbalance its authors noted.
 */
enum { NAPPRANK_MAX = 64 };

struct vector {
        int32_t n;
        double imbalance;
        int64_t task_us[NAPPRANK_MAX];
        double load_ms[NAPPRANK_MAX];
};

static void vector_read(struct vector *vector, const cJSON *item)
{
        const cJSON *work = cJSON_GetObjectItem(item, "work_us"), *us;
        *vector = (struct vector){ 0 };
        vector->imbalance = cJSON_GetNumberValue(cJSON_GetObjectItem(item, "imbalance"));
        assert_in_range(cJSON_GetArraySize(work), 2, NAPPRANK_MAX);
        cJSON_ArrayForEach(us, work)
        {
                vector->task_us[vector->n] = (int64_t)us->valuedouble;
                vector->load_ms[vector->n++] = us->valuedouble / 1000;
        }
}

/* The workload of a vector, one apprank per node, the node of the most loaded being slow. */
static struct workload *vector_workload(const struct vector *vector)
{
        double param[WORKLOAD_NPARAM];
        struct lb_error err;
        lb_param_defaults(workload_params, param);
        assert_int_equal(
            lb_param_parse(&workload_params[WORKLOAD_MODEL], "given", &param[WORKLOAD_MODEL], &err),
            0);
        assert_int_equal(
            lb_param_parse(&workload_params[WORKLOAD_SLOW], "most", &param[WORKLOAD_SLOW], &err),
            0);
        struct workload_spec spec = { .nnode = vector->n,
                                      .cores_per_node = 48,
                                      .appranks_per_node = 1,
                                      .param = param,
                                      .load_ms = vector->load_ms,
                                      .nload = vector->n };
        struct workload *workload = workload_create(&spec, &err);
        assert_non_null(workload);
        return workload;
}

static void check_vector(const struct vector *vector)
{
        struct workload *workload = vector_workload(vector);
        struct work work[NAPPRANK_MAX];
        assert_int_equal(workload_napprank(workload), vector->n);
        workload_iteration(workload, 0, work);
        int64_t most = 0;
        for (int32_t a = 0; a < vector->n; a++) {
                assert_int_equal(work[a].task_ns, vector->task_us[a] * 1000);
                assert_int_equal(work[a].ntask, 4800);
                most = work[a].task_ns > most ? work[a].task_ns : most;
        }
        for (int32_t a = 0; a < vector->n; a++)
                assert_int_equal(workload_node_factor(workload, a, 0) > 1, work[a].task_ns == most);
        workload_destroy(workload);
}

/* The original's vectors become tasks of just those durations, with the imbalance noted there. */
static void test_original_vectors(void **state)
{
        (void)state;
        struct lb_json doc;
        struct lb_error err;
        assert_int_equal(lb_json_open(&doc, LB_SOURCE_DIR "/tests/models/loads.json", &err), 0);
        assert_int_equal(cJSON_GetArraySize(doc.root), 7);
        const cJSON *item;
        cJSON_ArrayForEach(item, doc.root)
        {
                struct vector vector;
                vector_read(&vector, item);
                assert_true(fabs(load_imbalance(vector.load_ms, vector.n) - vector.imbalance) <
                            2e-5 * vector.imbalance);
                check_vector(&vector);
        }
        lb_json_close(&doc);
}

/* The imbalance of equal, of absent and of single loads. */
static void test_imbalance(void **state)
{
        (void)state;
        static const double equal[] = { 2.5, 2.5, 2.5 }, none[] = { 0, 0, 0 }, one[] = { 0, 7, 0 };
        assert_true(load_imbalance(equal, 3) == 1);
        assert_true(load_imbalance(none, 3) == 1);
        assert_true(load_imbalance(one, 3) == 3);
        assert_true(load_imbalance(one, 1) == 1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_original_vectors),
                cmocka_unit_test(test_imbalance),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
