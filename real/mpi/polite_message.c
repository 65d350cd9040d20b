/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "base/clock.h"
#include "real/mpi/polite_impl.h"

/*
 * Messages between two ranks, and waits for requests. What comes from MPI_PROC_NULL comes at once;
 * its status is right only from the plain calls in MPICH 4.0.
 */
int polite_recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Status *status)
{
        MPI_Request request;
        if (source == MPI_PROC_NULL)
                return PMPI_Recv(buf, count, datatype, source, tag, comm, status);
        int code = PMPI_Irecv(buf, count, datatype, source, tag, comm, &request);
        return polite_end(code, &request, status);
}

int polite_mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                 MPI_Status *status)
{
        MPI_Request request;
        if (*message == MPI_MESSAGE_NO_PROC)
                return PMPI_Mrecv(buf, count, datatype, message, status);
        return polite_end(PMPI_Imrecv(buf, count, datatype, message, &request), &request, status);
}

/* The call has failed: what comes later is for another. */
static int forgo(MPI_Request *request, int code)
{
        PMPI_Cancel(request);
        PMPI_Request_free(request);
        return code;
}

int polite_sendrecv(const void *out, int nout, MPI_Datatype tout, int to, int out_tag, void *in,
                    int nin, MPI_Datatype tin, int from, int in_tag, MPI_Comm comm,
                    MPI_Status *status)
{
        MPI_Request sent, received;
        int code = PMPI_Irecv(in, nin, tin, from, in_tag, comm, &received);
        if (code != MPI_SUCCESS)
                return code;
        code = PMPI_Isend(out, nout, tout, to, out_tag, comm, &sent);
        if (code != MPI_SUCCESS)
                return forgo(&received, code);
        code = polite_end(code, &sent, MPI_STATUS_IGNORE);
        code = polite_end(code, &received, status);
        if (code == MPI_SUCCESS && from == MPI_PROC_NULL)
                code = PMPI_Recv(in, nin, tin, from, in_tag, comm, status);
        return code;
}

#ifdef MPICH
/* As MPICH's own: those before it have ended well, those behind it are not looked at. */
static int fail_at(int failed, int code, int count, MPI_Status statuses[])
{
        for (int i = 0; i < count && statuses != MPI_STATUSES_IGNORE; i++)
                statuses[i].MPI_ERROR = i < failed    ? MPI_SUCCESS
                                        : i == failed ? code
                                                      : MPI_ERR_PENDING;
        PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_IN_STATUS);
        return MPI_ERR_IN_STATUS;
}

/* Of those that MPI_File_iwrite() and the like began, MPICH 4.0 polls the ones that have ended once
 * more in each MPI_Testall(), and fails or waits for ever; not in MPI_Test(). */
int polite_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
        int64_t start_ns = clock_ns();
        for (int i = 0; i < count; i++) {
                MPI_Status *status =
                    statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
                int code = polite_wait_since(start_ns, &requests[i], status);
                if (code != MPI_SUCCESS)
                        return fail_at(i, code, count, statuses);
        }
        return MPI_SUCCESS;
}
#else
int polite_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int done = 0;
                int code = PMPI_Testall(count, requests, &done, statuses);
                if (code != MPI_SUCCESS || done)
                        return code;
                polite_rest(start_ns);
        }
}
#endif

int polite_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int done = 0;
                int code = PMPI_Testany(count, requests, index, &done, status);
                if (code != MPI_SUCCESS || done)
                        return code;
                polite_rest(start_ns);
        }
}

int polite_waitsome(int count, MPI_Request requests[], int *ndone, int indices[],
                    MPI_Status statuses[])
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int code = PMPI_Testsome(count, requests, ndone, indices, statuses);
                if (code != MPI_SUCCESS || *ndone != 0)
                        return code;
                polite_rest(start_ns);
        }
}

int polite_probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int found = 0;
                int code = PMPI_Iprobe(from, tag, comm, &found, status);
                if (code != MPI_SUCCESS || found)
                        return code;
                polite_rest(start_ns);
        }
}

int polite_mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int found = 0;
                int code = PMPI_Improbe(from, tag, comm, &found, message, status);
                if (code != MPI_SUCCESS || found)
                        return code;
                polite_rest(start_ns);
        }
}

int polite_win_wait(MPI_Win window)
{
        int64_t start_ns = clock_ns();
        for (;;) {
                int done = 0;
                int code = PMPI_Win_test(window, &done);
                if (code != MPI_SUCCESS || done)
                        return code;
                polite_rest(start_ns);
        }
}
