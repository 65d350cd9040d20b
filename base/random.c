/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/random.h"

#include <Random123/philox.h>

uint64_t lb_random_at(uint64_t key, uint64_t stream, uint64_t counter)
{
        philox2x64_ctr_t ctr = { .v = { counter, stream } };
        philox2x64_key_t k = { .v = { key } };
        return philox2x64(ctr, k).v[0];
}

void lb_random_pairs(uint64_t key, uint64_t stream, uint64_t counter, int32_t npair, uint64_t *bits)
{
        philox2x64_key_t k = { .v = { key } };
        for (int32_t i = 0; i < npair; i++) {
                philox2x64_ctr_t ctr = { .v = { counter + (uint64_t)i, stream } };
                philox2x64_ctr_t pair = philox2x64(ctr, k);
                bits[2 * i] = pair.v[0];
                bits[2 * i + 1] = pair.v[1];
        }
}

uint64_t lb_random_key(uint64_t seed, enum lb_random_purpose purpose)
{
        return lb_random_at(seed, (uint64_t)purpose, UINT64_MAX);
}

void lb_random_init(struct lb_random *random, uint64_t seed, enum lb_random_purpose purpose,
                    uint64_t stream)
{
        *random = (struct lb_random){ .key = lb_random_key(seed, purpose), .stream = stream };
}

uint64_t lb_random_next(struct lb_random *random)
{
        return lb_random_at(random->key, random->stream, random->counter++);
}

double lb_random_unit(struct lb_random *random)
{
        return lb_random_to_unit(lb_random_next(random));
}

double lb_random_open(struct lb_random *random)
{
        return ((double)(lb_random_next(random) >> 12) + 0.5) * 0x1.0p-52;
}

uint64_t lb_random_below(struct lb_random *random, uint64_t bound)
{
        uint64_t excess = (UINT64_MAX - bound + 1) % bound; /* 2^64 mod bound */
        for (;;) {
                uint64_t bits = lb_random_next(random);
                if (bits <= UINT64_MAX - excess)
                        return bits % bound;
        }
}
