/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/output/figure_dots.h"

void figure_dots_begin(FILE *out, const char *const *metric, int nmetric)
{
        fputs("# group variant group_words variant_words system published", out);
        for (int m = 0; m < nmetric; m++)
                fprintf(out, " %s low high", metric[m]);
        fputc('\n', out);
}

void figure_dots_put(FILE *out, const struct figure_dot *dot, int nmetric)
{
        fprintf(out, "%lld %lld \"%s\" \"%s\" %s %.6g", (long long)dot->group,
                (long long)dot->variant, dot->group_words, dot->variant_words, dot->system,
                dot->published);
        for (int m = 0; m < nmetric; m++)
                figure_put_interval(out, dot->metric[m]);
        fputc('\n', out);
}
