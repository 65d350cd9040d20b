/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows and files. A part of the table in real/interpose/calls.h. */

/* ---- Windows ---- */

COUNTED(MEET, Win_create, none, comm,
        (void *base, MPI_Aint size, PLACE disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
        (base, size, disp_unit, info, comm, win))
COUNTED(MEET, Win_allocate, none, comm,
        (MPI_Aint size, PLACE disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
        (size, disp_unit, info, comm, baseptr, win))
COUNTED(MEET, Win_allocate_shared, none, comm,
        (MPI_Aint size, PLACE disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
        (size, disp_unit, info, comm, baseptr, win))
PLAIN(MEET, Win_create_dynamic, none, comm, (MPI_Info info, MPI_Comm comm, MPI_Win *win),
      (info, comm, win))
PLAIN(WAITS, Win_free, none, MPI_COMM_NULL, (MPI_Win * win), (win))
PLAIN(WAITS, Win_fence, none, MPI_COMM_NULL, (int assert, MPI_Win win), (assert, win))
PLAIN(WAITS, Win_post, none, MPI_COMM_NULL, (MPI_Group group, int assert, MPI_Win win),
      (group, assert, win))
PLAIN(WAITS, Win_start, none, MPI_COMM_NULL, (MPI_Group group, int assert, MPI_Win win),
      (group, assert, win))
PLAIN(WAITS, Win_complete, none, MPI_COMM_NULL, (MPI_Win win), (win))
PLAIN(WAITS, Win_wait, none, MPI_COMM_NULL, (MPI_Win win), (win))
PLAIN(WAITS, Win_lock, none, MPI_COMM_NULL, (int lock_type, int rank, int assert, MPI_Win win),
      (lock_type, rank, assert, win))
PLAIN(WAITS, Win_unlock, none, MPI_COMM_NULL, (int rank, MPI_Win win), (rank, win))
PLAIN(WAITS, Win_lock_all, none, MPI_COMM_NULL, (int assert, MPI_Win win), (assert, win))
PLAIN(WAITS, Win_unlock_all, none, MPI_COMM_NULL, (MPI_Win win), (win))
PLAIN(WAITS, Win_flush, none, MPI_COMM_NULL, (int rank, MPI_Win win), (rank, win))
PLAIN(WAITS, Win_flush_all, none, MPI_COMM_NULL, (MPI_Win win), (win))
PLAIN(WAITS, Win_flush_local, none, MPI_COMM_NULL, (int rank, MPI_Win win), (rank, win))
PLAIN(WAITS, Win_flush_local_all, none, MPI_COMM_NULL, (MPI_Win win), (win))
COUNTED(WAITS, Put, none, MPI_COMM_NULL,
        (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win))
COUNTED(WAITS, Get, none, MPI_COMM_NULL,
        (void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win))
COUNTED(WAITS, Accumulate, none, MPI_COMM_NULL,
        (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op,
         MPI_Win win),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win))
COUNTED(WAITS, Get_accumulate, none, MPI_COMM_NULL,
        (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
         void *result_addr, COUNT result_count, MPI_Datatype result_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op,
         MPI_Win win),
        (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win))
PLAIN(WAITS, Fetch_and_op, none, MPI_COMM_NULL,
      (const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
       MPI_Aint target_disp, MPI_Op op, MPI_Win win),
      (origin_addr, result_addr, datatype, target_rank, target_disp, op, win))
PLAIN(WAITS, Compare_and_swap, none, MPI_COMM_NULL,
      (const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype,
       int target_rank, MPI_Aint target_disp, MPI_Win win),
      (origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win))
COUNTED(LOCAL, Rput, none, MPI_COMM_NULL,
        (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request *request),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request))
COUNTED(LOCAL, Rget, none, MPI_COMM_NULL,
        (void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win,
         MPI_Request *request),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, win, request))
COUNTED(LOCAL, Raccumulate, none, MPI_COMM_NULL,
        (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op,
         MPI_Win win, MPI_Request *request),
        (origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
         target_datatype, op, win, request))
COUNTED(LOCAL, Rget_accumulate, none, MPI_COMM_NULL,
        (const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
         void *result_addr, COUNT result_count, MPI_Datatype result_datatype, int target_rank,
         MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op,
         MPI_Win win, MPI_Request *request),
        (origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
         target_rank, target_disp, target_count, target_datatype, op, win, request))
PLAIN(LOCAL, Win_test, none, MPI_COMM_NULL, (MPI_Win win, int *flag), (win, flag))
PLAIN(LOCAL, Win_sync, none, MPI_COMM_NULL, (MPI_Win win), (win))

/* ---- Files ---- */

PLAIN(COLLECTIVE, File_open, none, comm,
      (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh),
      (comm, filename, amode, info, fh))
PLAIN(WAITS, File_close, none, MPI_COMM_NULL, (MPI_File * fh), (fh))
PLAIN(WAITS, File_delete, none, MPI_COMM_NULL, (const char *filename, MPI_Info info),
      (filename, info))
PLAIN(WAITS, File_set_size, none, MPI_COMM_NULL, (MPI_File fh, MPI_Offset size), (fh, size))
PLAIN(WAITS, File_preallocate, none, MPI_COMM_NULL, (MPI_File fh, MPI_Offset size), (fh, size))
PLAIN(WAITS, File_set_view, none, MPI_COMM_NULL,
      (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep,
       MPI_Info info),
      (fh, disp, etype, filetype, datarep, info))
PLAIN(WAITS, File_sync, none, MPI_COMM_NULL, (MPI_File fh), (fh))
PLAIN(WAITS, File_set_atomicity, none, MPI_COMM_NULL, (MPI_File fh, int flag), (fh, flag))
PLAIN(WAITS, File_seek_shared, none, MPI_COMM_NULL, (MPI_File fh, MPI_Offset offset, int whence),
      (fh, offset, whence))
COUNTED(WAITS, File_read_at, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype datatype,
         MPI_Status *status),
        (fh, offset, buf, count, datatype, status))
COUNTED(WAITS, File_read_at_all, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype datatype,
         MPI_Status *status),
        (fh, offset, buf, count, datatype, status))
COUNTED(WAITS, File_write_at, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype datatype,
         MPI_Status *status),
        (fh, offset, buf, count, datatype, status))
COUNTED(WAITS, File_write_at_all, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype datatype,
         MPI_Status *status),
        (fh, offset, buf, count, datatype, status))
COUNTED(WAITS, File_read, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_read_all, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_write, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_write_all, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_read_shared, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_write_shared, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_read_ordered, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_write_ordered, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPI_Status *status),
        (fh, buf, count, datatype, status))
COUNTED(WAITS, File_read_at_all_begin, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype datatype),
        (fh, offset, buf, count, datatype))
PLAIN(WAITS, File_read_at_all_end, none, MPI_COMM_NULL,
      (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
COUNTED(WAITS, File_write_at_all_begin, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype datatype),
        (fh, offset, buf, count, datatype))
PLAIN(WAITS, File_write_at_all_end, none, MPI_COMM_NULL,
      (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
COUNTED(WAITS, File_read_all_begin, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype), (fh, buf, count, datatype))
PLAIN(WAITS, File_read_all_end, none, MPI_COMM_NULL, (MPI_File fh, void *buf, MPI_Status *status),
      (fh, buf, status))
COUNTED(WAITS, File_write_all_begin, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype),
        (fh, buf, count, datatype))
PLAIN(WAITS, File_write_all_end, none, MPI_COMM_NULL,
      (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
COUNTED(WAITS, File_read_ordered_begin, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype), (fh, buf, count, datatype))
PLAIN(WAITS, File_read_ordered_end, none, MPI_COMM_NULL,
      (MPI_File fh, void *buf, MPI_Status *status), (fh, buf, status))
COUNTED(WAITS, File_write_ordered_begin, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype),
        (fh, buf, count, datatype))
PLAIN(WAITS, File_write_ordered_end, none, MPI_COMM_NULL,
      (MPI_File fh, const void *buf, MPI_Status *status), (fh, buf, status))
COUNTED(LOCAL, File_iread, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPIO_Request *request),
        (fh, buf, count, datatype, request))
COUNTED(LOCAL, File_iwrite, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPIO_Request *request),
        (fh, buf, count, datatype, request))
COUNTED(LOCAL, File_iread_at, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype datatype,
         MPIO_Request *request),
        (fh, offset, buf, count, datatype, request))
COUNTED(LOCAL, File_iwrite_at, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype datatype,
         MPIO_Request *request),
        (fh, offset, buf, count, datatype, request))
COUNTED(LOCAL, File_iread_shared, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPIO_Request *request),
        (fh, buf, count, datatype, request))
COUNTED(LOCAL, File_iwrite_shared, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPIO_Request *request),
        (fh, buf, count, datatype, request))
COUNTED(LOCAL, File_iread_all, none, MPI_COMM_NULL,
        (MPI_File fh, void *buf, COUNT count, MPI_Datatype datatype, MPI_Request *request),
        (fh, buf, count, datatype, request))
COUNTED(LOCAL, File_iwrite_all, none, MPI_COMM_NULL,
        (MPI_File fh, const void *buf, COUNT count, MPI_Datatype datatype, MPI_Request *request),
        (fh, buf, count, datatype, request))
COUNTED(LOCAL, File_iread_at_all, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype datatype,
         MPI_Request *request),
        (fh, offset, buf, count, datatype, request))
COUNTED(LOCAL, File_iwrite_at_all, none, MPI_COMM_NULL,
        (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype datatype,
         MPI_Request *request),
        (fh, offset, buf, count, datatype, request))
