//! Returns free memory to the system.
//!
//! glibc's allocator keeps freed memory for later, and returns by itself only what
//! lies at the end of a heap. Compiling the rules leaves many megabytes of holes in the
//! middle, and so does a busy hour. Other allocators need no such call; for them it
//! does nothing.

/// Returns what it can. It walks the whole heap, for milliseconds, while other threads
/// wait for memory: call it when the process is idle.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::trim();
}

/// What the allocator holds, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// What is in use.
    pub in_use: u64,
    /// What is free, and not given back to the system.
    pub free: u64,
}

/// What the allocator says that it holds; `None` for one that does not say. It looks at every heap
/// under its lock: for microseconds, so it is nothing for each request.
pub fn held() -> Option<Held> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    return Some(glibc::held());
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    None
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the compiler cannot see that a foreign function is as declared")]
mod glibc {
    unsafe extern "C" {
        // malloc_trim(3): `int malloc_trim(size_t pad)`, MT-Safe. It touches only free
        // memory, so every call is safe.
        safe fn malloc_trim(pad: usize) -> core::ffi::c_int;

        // mallinfo(3), since glibc 2.33: `struct mallinfo2 mallinfo2(void)`, MT-Safe but for
        // mallopt(3), which nobody calls here. It only reads.
        safe fn mallinfo2() -> MallInfo;
    }

    /// `struct mallinfo2`: ten `size_t`.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct MallInfo {
        arena: usize,
        ordblks: usize,
        smblks: usize,
        hblks: usize,
        hblkhd: usize,
        usmblks: usize,
        fsmblks: usize,
        uordblks: usize,
        fordblks: usize,
        keepcost: usize,
    }

    pub(super) fn held() -> super::Held {
        let info = mallinfo2();
        // Large pieces are mapped one by one, and not among the others.
        let in_use = info.uordblks as u64 + info.hblkhd as u64;
        super::Held { in_use, free: info.fordblks as u64 }
    }

    pub(super) fn trim() {
        // Whether there was anything to return does not matter.
        let _returned = malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use std::fs;

    fn resident_kb() -> usize {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// O-3: what is in use and what is free are told apart.
    #[test]
    fn what_is_held_is_known() {
        let before = super::held().unwrap().in_use;
        let large = std::hint::black_box(vec![1_u8; 8 << 20]);
        let with = super::held().unwrap().in_use;
        assert!(with >= before + (8 << 20) - (1 << 20), "{before}, then {with}");
        drop(large);
    }

    /// Many small allocations are freed, and one behind them stays.
    #[test]
    fn holes_are_returned_to_the_system() {
        let pieces: Vec<Box<[u8; 1024]>> = (0..32 * 1024).map(|_| Box::new([1; 1024])).collect();
        let stays = Box::new([1_u8; 1024]);
        drop(pieces);
        let before = resident_kb();
        super::trim();
        let after = resident_kb();
        assert!(after + 16 * 1024 < before, "{before} KB, then {after} KB");
        drop(stays);
    }
}
