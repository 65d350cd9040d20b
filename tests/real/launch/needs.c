/* SPDX-License-Identifier: BSD-3-Clause */
/* A library by the name of an MPI's, and a program that needs no other: it is looked at, not run.
 */
int stands_in(void);

#ifdef NEEDS_LIBRARY
int stands_in(void)
{
        return 0;
}
#else
int main(void)
{
        return stands_in();
}
#endif
