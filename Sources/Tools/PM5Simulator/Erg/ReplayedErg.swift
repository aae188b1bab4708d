import Bytes
import Glibc
import PM5Codec

/// A recorded connection, replayed to a subscriber.
///
/// The clock starts with the subscription to 0x0031 (to 0x0080 if the recording has only that) and
/// continues without a link. At the end the last status is repeated at the sample rate, like a
/// monitor does.
package struct ReplayedErg: SimulatedMonitor {
    struct Value: Equatable {
        var milliseconds: Int
        var characteristic: CharacteristicID
        var bytes: [UInt8]
    }

    /// The given serial number, and the rest from the recording if it has it.
    package private(set) var identity: SimulatedIdentity
    /// The subscriptions of the current link.
    package private(set) var subscriptions: Set<CharacteristicID> = []
    private var isConnected = false
    private var now = 0
    private let values: [Value]
    private var reads: [CharacteristicID: [UInt8]]
    private let trigger: CharacteristicID
    private var sampleRate = SampleRate.every500Milliseconds
    private var position = 0
    /// When the replay started; nil before.
    private var start: Int?
    private var nextRepeat = Int.max
    private let startDelayMilliseconds: Int

    /// Reads JSON Lines: `t_ms`, `dir` (`rx` from the monitor, `read`; others are skipped),
    /// `characteristic` (`"0x31"`), `hex`.
    ///
    /// - Parameter startDelayMilliseconds: between the subscription and the first value.
    package init(
        lines: [String], serial: String, startDelayMilliseconds: Int = 30
    ) throws(RecordingError) {
        var values: [Value] = []
        var reads: [CharacteristicID: [UInt8]] = [:]
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            guard let record = JSONObject(line: line), let time = record.integer("t_ms"),
                let direction = record.text("dir"), let bytes = record.bytes("hex"),
                let characteristic = record.characteristic("characteristic")
            else { throw RecordingError(line: index + 1) }
            switch direction {
            case "rx":
                values.append(
                    Value(milliseconds: time, characteristic: characteristic, bytes: bytes))
            case "read": reads[characteristic] = bytes
            default: break
            }
        }
        guard !values.isEmpty else { throw RecordingError(line: nil) }
        self.values = values
        self.reads = reads
        self.startDelayMilliseconds = startDelayMilliseconds
        let sends = Set(values.map(\.characteristic))
        trigger = sends == [.multiplexed] ? .multiplexed : .generalStatus
        let isNew = !sends.isDisjoint(with: [.forceCurve, .additionalStatus3, .loggedWorkout])
        identity = SimulatedIdentity(serial: serial, generation: isNew ? .new : .old)
        if let hardware = reads[.hardwareRevision] { identity.hardware = Self.text(hardware) }
        if let firmware = reads[.firmwareRevision] { identity.firmware = Self.text(firmware) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Whether all of the recording was replayed.
    package var isDone: Bool { position == values.count }

    package var nextMilliseconds: Int {
        guard let start else { return .max }
        return isDone ? nextRepeat : start + values[position].milliseconds
    }

    package mutating func step(to milliseconds: Int) -> [ErgOutput] {
        var output: [ErgOutput] = []
        while nextMilliseconds <= milliseconds {
            now = nextMilliseconds
            if isDone { repeatStatus(&output) } else { play(&output) }
        }
        now = max(now, milliseconds)
        return output
    }

    private mutating func play(_ output: inout [ErgOutput]) {
        send(values[position], &output)
        position += 1
        if isDone { nextRepeat = now + (sampleRate.periodMilliseconds ?? 500) }
    }

    private mutating func repeatStatus(_ output: inout [ErgOutput]) {
        let status: [CharacteristicID] = [.generalStatus, .additionalStatus1, .additionalStatus2]
        for id in status {
            if let last = values.last(where: { $0.characteristic == id }) { send(last, &output) }
        }
        nextRepeat = now + (sampleRate.periodMilliseconds ?? 500)
    }

    private func send(_ value: Value, _ output: inout [ErgOutput]) {
        guard subscriptions.contains(value.characteristic) else { return }
        output.append(
            .notification(characteristic: value.characteristic, bytes: value.bytes))
    }

    package mutating func setConnected(_ connected: Bool) {
        isConnected = connected
        subscriptions = []
        sampleRate = .every500Milliseconds
    }

    package mutating func setSubscribed(_ subscribed: Bool, to id: CharacteristicID) {
        guard isConnected else { return }
        if subscribed { subscriptions.insert(id) } else { subscriptions.remove(id) }
        // Each further subscription delays the start, until the first value was sent.
        let isTriggered = start != nil || id == trigger
        if subscribed, isTriggered, position == 0 { start = now + startDelayMilliseconds }
    }

    /// The recording's own answers follow at their times; nothing else is answered.
    package mutating func write(_ bytes: [UInt8], to id: CharacteristicID) {
        if id == .sampleRate, let first = bytes.first { sampleRate = SampleRate(rawValue: first) }
    }

    package mutating func updateFirmware(to version: String) {
        identity.firmware = version
        reads[.firmwareRevision] = nil
    }

    /// A recording continues as it was made.
    package mutating func pause(forMilliseconds milliseconds: Int) {}

    /// The identity is the room's; other values come from the recording if it contains them.
    package func read(_ id: CharacteristicID) -> [UInt8]? {
        switch id {
        case .serialNumber: identity.value(of: id)
        case .sampleRate: [sampleRate.rawValue]
        default: identity.value(of: id).map { reads[id] ?? $0 }
        }
    }
}

extension ReplayedErg {
    /// Reads the lines of a recording; nil, with errno set, if it cannot be read.
    package static func lines(ofFile path: String) -> [String]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
    }
}

/// A recording that cannot be replayed.
package struct RecordingError: Error, Equatable, CustomStringConvertible {
    /// 1-based; nil if the whole recording has nothing to replay.
    package let line: Int?

    package var description: String {
        line.map { "line \($0) is not a record of a connection" }
            ?? "the recording contains nothing to replay"
    }
}
