/// The work of the disk's queue, one step at a time, in the order of writing. Changes `state`.
extension FallbackBlockDevice {
    /// Work for the disk's queue.
    struct Work: @unchecked Sendable {  // begins on one queue, ends on another
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `work` on the disk's queue, or immediately if there is none.
    func run(_ work: Work) {
        guard let queue = state.with({ $0.queue }) else { return work.body() }
        queue { work.body() }
    }

    /// Starts the next step, unless one is running or none is left.
    func startNextStep() {
        let isIdle = state.with { state in
            guard !state.isWorking, state.failure == nil, state.pages.hasStep else { return false }
            state.isWorking = true
            return true
        }
        if isIdle { run(Work { [self] in performStep() }) }
    }

    private func performStep() {
        let (file, step) = state.with { state in
            (state.file, state.failure == nil ? state.pages.nextStep(into: buffer) : nil)
        }
        var isDurable = false
        if let file, let step {
            do throws(RingLogError) {
                isDurable = try file.perform(step, from: buffer, noting: noteSuperblock)
            } catch { fail(error) }
        }
        let onProgress = state.with { state in
            if isDurable { state.pages.firstIsDurable() }
            if state.failure == nil, state.pages.unwritten == 0 { state.unwritten?.clear() }
            state.isWorking = false
            return state.onProgress
        }
        if isDurable { onProgress() }
        startNextStep()
    }

    private func noteSuperblock(_ offset: UInt64) {
        state.with { if $0.isSuperblock(offset) { $0.mayBeOnDisk = true } }
    }

    /// Records `error`. The first error counts until the file is healed.
    func fail(_ error: RingLogError) {
        let onProgress = state.with { state in
            state.failure = state.failure ?? error
            state.unwritten?.abandon()
            return state.onProgress
        }
        onProgress()
    }
}

extension BlockDevice {
    /// Performs a step. Returns whether everything written so far is durable.
    fileprivate func perform(
        _ step: PendingPages.Step, from buffer: PageBuffer, noting place: (UInt64) -> Void
    ) throws(RingLogError) -> Bool {
        switch step {
        case .prepare(let range):
            var rest = range
            while let next = try prepare(rest, limit: rest.count), next < range.upperBound {
                rest = next..<range.upperBound
            }
        case .write(let offset, let count):
            place(offset)
            try write(at: offset, bytes: buffer.readOnly.part(0..<count))
        case .sync:
            try sync()
            return true
        }
        return false
    }
}
