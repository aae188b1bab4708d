import Contract
import HostRuntime
import RingLog

/// A ring that was opened: where to write, and what to go on from.
struct OpenedRing {
    private(set) var storage: RingStorage
    private(set) var state: RecorderState
    let previousStop: PreviousStop
    private(set) var highWater: SequenceHighWater?

    /// - Parameters:
    ///   - highWater: nil where a death of the process is to be taken for a power cut.
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

    /// Moves the ring to another size, if it has not got it; it stays as it is where it cannot be.
    ///
    /// Throws only where a ring of a later version has come to the path meanwhile.
    mutating func resize(to wanted: LogGeometry, log: SystemLog) throws(RingLogError) {
        guard let resized = try storage.resized(to: wanted, state: state, log: log) else { return }
        // What the last process noted is in the state by now.
        if highWater != nil {
            highWater?.remove()
            highWater = SequenceHighWater(ofRing: resized.device.path)
        }
        storage = resized
        state = resized.recoverState(log: log)
    }
}
