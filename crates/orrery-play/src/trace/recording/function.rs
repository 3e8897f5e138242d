//! The functions of MPI whose calls are recorded.

use super::super::actions::CollectiveKind;

/// What a record of a function contains besides its times, and how a replay treats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nothing; a replay omits the call.
    Plain,
    /// Nothing; the call communicates in a way that no replay represents.
    Unsupported,
    /// A message that is sent.
    Send,
    /// A message that is received.
    Receive,
    /// A message that is sent, and one that is received.
    Exchange,
    /// A nonblocking send and its request.
    PostSend,
    /// A nonblocking receive and its request.
    PostReceive,
    /// A persistent send and its request.
    PersistentSend,
    /// A persistent receive and its request.
    PersistentReceive,
    /// The persistent requests that start.
    Start,
    /// The requests that are complete.
    Complete,
    /// A message that is found and not received.
    Probe,
    /// A request that is cancelled.
    Cancel,
    /// A request that is freed.
    Free,
    /// A collective operation.
    Collective(CollectiveKind),
}

macro_rules! functions {
    ($($variant:ident = $code:literal $shape:ident $(($kind:ident))?;)*) => {
        /// A function of MPI whose calls are recorded; the variants are named as the functions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, non_camel_case_types)]
        #[repr(u8)]
        pub enum Function { $($variant = $code),* }

        impl Function {
            /// All functions, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The function with a code in files; `None` if there is none.
            pub const fn with_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }

            /// What records of the function contain.
            pub const fn shape(self) -> Shape {
                match self { $(Self::$variant => Shape::$shape $((CollectiveKind::$kind))?),* }
            }

            /// The name without `MPI_`.
            const fn short_name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant)),* }
            }
        }
    };
}

// The codes are part of the format of files: they never change, and new functions take unused ones.
functions! {
    Finalize = 18 Plain; Abort = 19 Plain;
    Comm_dup = 20 Plain; Comm_dup_with_info = 21 Plain; Comm_split = 22 Plain; Comm_split_type = 23 Plain;
    Comm_create = 24 Plain; Comm_create_group = 25 Plain; Cart_create = 26 Plain; Cart_sub = 27 Plain;
    Graph_create = 28 Plain; Dist_graph_create = 29 Plain; Dist_graph_create_adjacent = 30 Plain;
    Intercomm_create = 31 Plain; Intercomm_merge = 32 Plain; Comm_free = 33 Plain; Comm_disconnect = 34 Plain;
    Buffer_detach = 35 Plain;
    Send = 40 Send; Ssend = 41 Send; Bsend = 42 Send; Rsend = 43 Send; Recv = 44 Receive;
    Sendrecv = 45 Exchange; Sendrecv_replace = 46 Exchange; Mrecv = 47 Receive;
    Isend = 50 PostSend; Issend = 51 PostSend; Ibsend = 52 PostSend; Irsend = 53 PostSend; Irecv = 54 PostReceive;
    Imrecv = 55 PostReceive;
    Send_init = 60 PersistentSend; Ssend_init = 61 PersistentSend; Bsend_init = 62 PersistentSend;
    Rsend_init = 63 PersistentSend; Recv_init = 64 PersistentReceive; Start = 65 Start; Startall = 66 Start;
    Wait = 70 Complete; Waitall = 71 Complete; Waitany = 72 Complete; Waitsome = 73 Complete; Test = 74 Complete;
    Testall = 75 Complete; Testany = 76 Complete; Testsome = 77 Complete;
    Cancel = 78 Cancel; Request_free = 79 Free;
    Probe = 80 Probe; Iprobe = 81 Probe; Mprobe = 82 Probe; Improbe = 83 Probe; Request_get_status = 84 Plain;
    Grequest_complete = 85 Unsupported;
    Barrier = 90 Collective(Barrier); Bcast = 91 Collective(Broadcast); Reduce = 92 Collective(Reduce);
    Allreduce = 93 Collective(Allreduce); Gather = 94 Collective(Gather); Scatter = 95 Collective(Scatter);
    Allgather = 96 Collective(Allgather); Alltoall = 97 Collective(Alltoall); Scan = 98 Collective(Scan);
    Exscan = 99 Collective(ExclusiveScan); Gatherv = 100 Collective(GatherV); Scatterv = 101 Collective(ScatterV);
    Allgatherv = 102 Collective(AllgatherV); Alltoallv = 103 Collective(AlltoallV);
    Alltoallw = 104 Collective(AlltoallV); Reduce_scatter = 105 Collective(ReduceScatter);
    Reduce_scatter_block = 106 Collective(ReduceScatter);
    Barrier_init = 107 Unsupported; Bcast_init = 108 Unsupported; Reduce_init = 109 Unsupported;
    Allreduce_init = 110 Unsupported; Gather_init = 111 Unsupported; Gatherv_init = 112 Unsupported;
    Scatter_init = 113 Unsupported; Scatterv_init = 114 Unsupported; Allgather_init = 115 Unsupported;
    Allgatherv_init = 116 Unsupported; Alltoall_init = 117 Unsupported; Alltoallv_init = 118 Unsupported;
    Alltoallw_init = 119 Unsupported;
    Ibarrier = 120 Unsupported; Ibcast = 121 Unsupported; Ireduce = 122 Unsupported; Iallreduce = 123 Unsupported;
    Igather = 124 Unsupported; Igatherv = 125 Unsupported; Iscatter = 126 Unsupported; Iscatterv = 127 Unsupported;
    Iallgather = 128 Unsupported; Iallgatherv = 129 Unsupported; Ialltoall = 130 Unsupported;
    Ialltoallv = 131 Unsupported; Ialltoallw = 132 Unsupported; Ireduce_scatter = 133 Unsupported;
    Ireduce_scatter_block = 134 Unsupported; Iscan = 135 Unsupported; Iexscan = 136 Unsupported;
    Isendrecv = 137 Unsupported; Isendrecv_replace = 138 Unsupported; Comm_idup_with_info = 139 Unsupported;
    Neighbor_allgather = 140 Unsupported; Neighbor_allgatherv = 141 Unsupported; Neighbor_alltoall = 142 Unsupported;
    Neighbor_alltoallv = 143 Unsupported; Neighbor_alltoallw = 144 Unsupported; Ineighbor_allgather = 145 Unsupported;
    Ineighbor_allgatherv = 146 Unsupported; Ineighbor_alltoall = 147 Unsupported;
    Ineighbor_alltoallv = 148 Unsupported; Ineighbor_alltoallw = 149 Unsupported; Comm_idup = 150 Unsupported;
    Comm_spawn = 151 Unsupported; Comm_spawn_multiple = 152 Unsupported; Comm_accept = 153 Unsupported;
    Comm_connect = 154 Unsupported; Comm_join = 155 Unsupported;
    Comm_create_from_group = 156 Unsupported; Intercomm_create_from_groups = 157 Unsupported;
    Session_init = 158 Unsupported; Session_finalize = 159 Unsupported;
    Win_create = 160 Unsupported; Win_allocate = 161 Unsupported; Win_allocate_shared = 162 Unsupported;
    Win_create_dynamic = 163 Unsupported; Win_free = 164 Unsupported; Win_fence = 165 Unsupported;
    Win_lock = 166 Unsupported; Win_unlock = 167 Unsupported; Win_lock_all = 168 Unsupported;
    Win_unlock_all = 169 Unsupported; Win_flush = 170 Unsupported; Win_flush_all = 171 Unsupported;
    Win_start = 172 Unsupported; Win_complete = 173 Unsupported; Win_post = 174 Unsupported; Win_wait = 175 Unsupported;
    Put = 176 Unsupported; Get = 177 Unsupported; Accumulate = 178 Unsupported; Get_accumulate = 179 Unsupported;
    Fetch_and_op = 180 Unsupported; Compare_and_swap = 181 Unsupported; Rput = 182 Unsupported; Rget = 183 Unsupported;
    Win_flush_local = 184 Unsupported; Win_flush_local_all = 185 Unsupported; Win_sync = 186 Unsupported;
    Win_test = 187 Unsupported; Raccumulate = 188 Unsupported; Rget_accumulate = 189 Unsupported;
    File_open = 190 Unsupported; File_close = 191 Unsupported; File_read = 192 Unsupported; File_write = 193 Unsupported;
    File_read_at = 194 Unsupported; File_write_at = 195 Unsupported; File_read_all = 196 Unsupported;
    File_write_all = 197 Unsupported; File_read_at_all = 198 Unsupported; File_write_at_all = 199 Unsupported;
    File_set_view = 200 Unsupported; File_sync = 201 Unsupported; File_read_shared = 202 Unsupported;
    File_write_shared = 203 Unsupported; File_read_ordered = 204 Unsupported; File_write_ordered = 205 Unsupported;
    File_iread = 206 Unsupported; File_iread_at = 207 Unsupported; File_iread_all = 208 Unsupported;
    File_iread_at_all = 209 Unsupported; File_iread_shared = 210 Unsupported; File_read_all_begin = 211 Unsupported;
    File_read_all_end = 212 Unsupported; File_read_at_all_begin = 213 Unsupported;
    File_read_at_all_end = 214 Unsupported; File_read_ordered_begin = 215 Unsupported;
    File_read_ordered_end = 216 Unsupported; File_iwrite = 217 Unsupported; File_iwrite_at = 218 Unsupported;
    File_iwrite_all = 219 Unsupported; File_iwrite_at_all = 220 Unsupported; File_iwrite_shared = 221 Unsupported;
    File_write_all_begin = 222 Unsupported; File_write_all_end = 223 Unsupported;
    File_write_at_all_begin = 224 Unsupported; File_write_at_all_end = 225 Unsupported;
    File_write_ordered_begin = 226 Unsupported; File_write_ordered_end = 227 Unsupported;
    File_set_size = 228 Unsupported; File_preallocate = 229 Unsupported; File_seek_shared = 230 Unsupported;
    Reduce_scatter_init = 231 Unsupported; Reduce_scatter_block_init = 232 Unsupported; Scan_init = 233 Unsupported;
    Exscan_init = 234 Unsupported; Neighbor_allgather_init = 235 Unsupported;
    Neighbor_allgatherv_init = 236 Unsupported; Neighbor_alltoall_init = 237 Unsupported;
    Neighbor_alltoallv_init = 238 Unsupported; Neighbor_alltoallw_init = 239 Unsupported;
    Psend_init = 240 Unsupported; Precv_init = 241 Unsupported; Pready = 242 Unsupported;
    Pready_range = 243 Unsupported; Pready_list = 244 Unsupported; Parrived = 245 Unsupported;
}

impl Function {
    /// The code in files.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The name, as in `MPI_Send`.
    pub fn name(self) -> String {
        format!("MPI_{}", self.short_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_functions() {
        for &function in Function::ALL {
            assert_eq!(Function::with_code(function.code()), Some(function));
        }
        assert!(Function::ALL.windows(2).all(|two| two[0].code() < two[1].code()));
        assert_eq!((Function::with_code(0), Function::with_code(15)), (None, None));
        assert_eq!((Function::Send.name().as_str(), Function::Send.code()), ("MPI_Send", 40));
    }
}
