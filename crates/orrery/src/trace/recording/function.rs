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

            /// The function with a code in files.
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
    Send = 40 Send; Ssend = 41 Send; Bsend = 42 Send; Rsend = 43 Send; Recv = 44 Receive;
    Sendrecv = 45 Exchange; Sendrecv_replace = 46 Exchange; Mrecv = 47 Receive;
    Isend = 50 PostSend; Issend = 51 PostSend; Ibsend = 52 PostSend; Irsend = 53 PostSend; Irecv = 54 PostReceive;
    Imrecv = 55 PostReceive;
    Send_init = 60 PersistentSend; Ssend_init = 61 PersistentSend; Bsend_init = 62 PersistentSend;
    Rsend_init = 63 PersistentSend; Recv_init = 64 PersistentReceive; Start = 65 Start; Startall = 66 Start;
    Wait = 70 Complete; Waitall = 71 Complete; Waitany = 72 Complete; Waitsome = 73 Complete; Test = 74 Complete;
    Testall = 75 Complete; Testany = 76 Complete; Testsome = 77 Complete;
    Cancel = 78 Cancel; Request_free = 79 Free;
    Probe = 80 Probe; Iprobe = 81 Probe; Mprobe = 82 Probe; Improbe = 83 Probe;
    Barrier = 90 Collective(Barrier); Bcast = 91 Collective(Broadcast); Reduce = 92 Collective(Reduce);
    Allreduce = 93 Collective(Allreduce); Gather = 94 Collective(Gather); Scatter = 95 Collective(Scatter);
    Allgather = 96 Collective(Allgather); Alltoall = 97 Collective(Alltoall); Scan = 98 Collective(Scan);
    Exscan = 99 Collective(ExclusiveScan); Gatherv = 100 Collective(GatherV); Scatterv = 101 Collective(ScatterV);
    Allgatherv = 102 Collective(AllgatherV); Alltoallv = 103 Collective(AlltoallV);
    Alltoallw = 104 Collective(AlltoallV); Reduce_scatter = 105 Collective(ReduceScatter);
    Reduce_scatter_block = 106 Collective(ReduceScatter);
    Ibarrier = 120 Unsupported; Ibcast = 121 Unsupported; Ireduce = 122 Unsupported; Iallreduce = 123 Unsupported;
    Igather = 124 Unsupported; Igatherv = 125 Unsupported; Iscatter = 126 Unsupported; Iscatterv = 127 Unsupported;
    Iallgather = 128 Unsupported; Iallgatherv = 129 Unsupported; Ialltoall = 130 Unsupported;
    Ialltoallv = 131 Unsupported; Ialltoallw = 132 Unsupported; Ireduce_scatter = 133 Unsupported;
    Ireduce_scatter_block = 134 Unsupported; Iscan = 135 Unsupported; Iexscan = 136 Unsupported;
    Neighbor_allgather = 140 Unsupported; Neighbor_allgatherv = 141 Unsupported; Neighbor_alltoall = 142 Unsupported;
    Neighbor_alltoallv = 143 Unsupported; Neighbor_alltoallw = 144 Unsupported; Ineighbor_allgather = 145 Unsupported;
    Ineighbor_allgatherv = 146 Unsupported; Ineighbor_alltoall = 147 Unsupported;
    Ineighbor_alltoallv = 148 Unsupported; Ineighbor_alltoallw = 149 Unsupported; Comm_idup = 150 Unsupported;
    Comm_spawn = 151 Unsupported; Comm_spawn_multiple = 152 Unsupported; Comm_accept = 153 Unsupported;
    Comm_connect = 154 Unsupported; Comm_join = 155 Unsupported;
    Win_create = 160 Unsupported; Win_allocate = 161 Unsupported; Win_allocate_shared = 162 Unsupported;
    Win_create_dynamic = 163 Unsupported; Win_free = 164 Unsupported; Win_fence = 165 Unsupported;
    Win_lock = 166 Unsupported; Win_unlock = 167 Unsupported; Win_lock_all = 168 Unsupported;
    Win_unlock_all = 169 Unsupported; Win_flush = 170 Unsupported; Win_flush_all = 171 Unsupported;
    Win_start = 172 Unsupported; Win_complete = 173 Unsupported; Win_post = 174 Unsupported; Win_wait = 175 Unsupported;
    Put = 176 Unsupported; Get = 177 Unsupported; Accumulate = 178 Unsupported; Get_accumulate = 179 Unsupported;
    Fetch_and_op = 180 Unsupported; Compare_and_swap = 181 Unsupported; Rput = 182 Unsupported; Rget = 183 Unsupported;
    File_open = 190 Unsupported; File_close = 191 Unsupported; File_read = 192 Unsupported; File_write = 193 Unsupported;
    File_read_at = 194 Unsupported; File_write_at = 195 Unsupported; File_read_all = 196 Unsupported;
    File_write_all = 197 Unsupported; File_read_at_all = 198 Unsupported; File_write_at_all = 199 Unsupported;
    File_set_view = 200 Unsupported; File_sync = 201 Unsupported; File_read_shared = 202 Unsupported;
    File_write_shared = 203 Unsupported; File_read_ordered = 204 Unsupported; File_write_ordered = 205 Unsupported;
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
