/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of MPI, and messages between two ranks. A part of the table in real/interpose/calls.h. */

/* ---- Life ---- */

CALL(LIFE, Init, none, MPI_COMM_NULL, (int *argc, char ***argv), (argc, argv))
CALL(LIFE, Init_thread, none, MPI_COMM_NULL, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))
CALL(LIFE, Finalize, none, MPI_COMM_NULL, (void), ())
CALL(LIFE, Abort, none, MPI_COMM_NULL, (MPI_Comm comm, int errorcode), (comm, errorcode))

/* ---- Messages ---- */

CALL(SEND, Send, Isend, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(SEND, Ssend, Issend, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(SEND, Rsend, Irsend, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(OWN, Recv, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Status *status),
     (buf, count, datatype, source, tag, comm, status))
CALL(OWN, Mrecv, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status),
     (buf, count, datatype, message, status))
CALL(OWN, Sendrecv, none, MPI_COMM_NULL,
     (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
      void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
      MPI_Status *status),
     (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
      comm, status))
CALL(OWN, Wait, none, MPI_COMM_NULL, (MPI_Request * request, MPI_Status *status), (request, status))
CALL(OWN, Waitall, none, MPI_COMM_NULL,
     (int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]),
     (count, array_of_requests, array_of_statuses))
CALL(OWN, Waitany, none, MPI_COMM_NULL,
     (int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status),
     (count, array_of_requests, indx, status))
CALL(OWN, Waitsome, none, MPI_COMM_NULL,
     (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
      MPI_Status array_of_statuses[]),
     (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
CALL(OWN, Probe, none, MPI_COMM_NULL, (int source, int tag, MPI_Comm comm, MPI_Status *status),
     (source, tag, comm, status))
CALL(OWN, Mprobe, none, MPI_COMM_NULL,
     (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
     (source, tag, comm, message, status))
CALL(WAITS, Bsend, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
     (buf, count, datatype, dest, tag, comm))
CALL(WAITS, Sendrecv_replace, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
      MPI_Comm comm, MPI_Status *status),
     (buf, count, datatype, dest, sendtag, source, recvtag, comm, status))
CALL(WAITS, Buffer_detach, none, MPI_COMM_NULL, (void *buffer_addr, int *size), (buffer_addr, size))
CALL(LOCAL, Isend, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Ibsend, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Issend, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Irsend, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Irecv, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, source, tag, comm, request))
CALL(LOCAL, Imrecv, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request),
     (buf, count, datatype, message, request))
CALL(LOCAL, Iprobe, none, MPI_COMM_NULL,
     (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (source, tag, comm, flag, status))
CALL(LOCAL, Improbe, none, MPI_COMM_NULL,
     (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
     (source, tag, comm, flag, message, status))
CALL(LOCAL, Test, none, MPI_COMM_NULL, (MPI_Request * request, int *flag, MPI_Status *status),
     (request, flag, status))
CALL(LOCAL, Testall, none, MPI_COMM_NULL,
     (int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[]),
     (count, array_of_requests, flag, array_of_statuses))
CALL(LOCAL, Testany, none, MPI_COMM_NULL,
     (int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status),
     (count, array_of_requests, indx, flag, status))
CALL(LOCAL, Testsome, none, MPI_COMM_NULL,
     (int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
      MPI_Status array_of_statuses[]),
     (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
CALL(LOCAL, Request_free, none, MPI_COMM_NULL, (MPI_Request * request), (request))
CALL(LOCAL, Cancel, none, MPI_COMM_NULL, (MPI_Request * request), (request))
CALL(LOCAL, Start, none, MPI_COMM_NULL, (MPI_Request * request), (request))
CALL(LOCAL, Startall, none, MPI_COMM_NULL, (int count, MPI_Request array_of_requests[]),
     (count, array_of_requests))
CALL(LOCAL, Send_init, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Bsend_init, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Ssend_init, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Rsend_init, none, MPI_COMM_NULL,
     (const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, dest, tag, comm, request))
CALL(LOCAL, Recv_init, none, MPI_COMM_NULL,
     (void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
      MPI_Request *request),
     (buf, count, datatype, source, tag, comm, request))
