import Contract
import HostRuntime
import RingLog

/// An opened ring: its storage, and the state from which to continue.
struct OpenedRing {
    private(set) var storage: RingStorage
    private(set) var state: RecorderState
    let previousStop: PreviousStop
    private(set) var highWater: SequenceHighWater?

    /// - Parameters:
    ///   - highWater: nil if the end of the last process must be treated like a power cut.
    ///   - bootID: of this boot.
    init(_ storage: RingStorage, highWater: SequenceHighWater?, bootID: String, log: SystemLog) {
        self.storage = storage
        self.highWater = highWater
        let recovered = storage.recoverState(log: log)
        var known = highWater?.read(bootID: bootID)
        if known?.epoch != recovered.epoch { known = nil }
        previousStop = storage.previousStop(highWater: known)
        state = recovered.recoveringNumbers(after: previousStop)
        storage.describe(previousStop, log)
    }

    /// Changes the size of the ring if it differs; on failure the ring stays as it is.
    ///
    /// Throws only if a ring of a later version has appeared at the path meanwhile.
    mutating func resize(to wanted: LogGeometry, log: SystemLog) throws(RingLogError) {
        guard let resized = try storage.resized(to: wanted, state: state, log: log) else { return }
        // The state already contains the high-water marks.
        if highWater != nil {
            highWater?.remove()
            highWater = SequenceHighWater(ofRing: resized.device.path)
        }
        storage = resized
        state = resized.recoverState(log: log)
    }
}
