/// The first content byte of every reply.
///
/// | bits | meaning |
/// |---|---|
/// | 0x80 | toggle: alternates with each accepted frame |
/// | 0x30
/// previous frame; on a PM5 the answered frame itself |
/// | 0x0F | state of the public state machine |
///
/// Source: Concept2 CSAFE definition rev 0.25, status byte; captured rejects for the answered frame.
package struct StatusByte: RawRepresentable, Hashable, Sendable {
    /// The result of the answered frame.
    package enum PreviousFrame: UInt8, Hashable, Sendable, CaseIterable {
        case ok = 0x00
        /// At least one command was rejected: illegal value or wrong state.
        case reject = 0x10
        /// Checksum or framing error.
        case bad = 0x20
        /// Try again later.
        case notReady = 0x30
    }

    /// The byte as received.
    package let rawValue: UInt8

    /// Accepts any byte; the unused bit is stored without a meaning.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates the byte as a monitor does; `state` must fit four bits.
    package init(toggle: Bool, previousFrame: PreviousFrame = .ok, state: CSAFEState) {
        precondition(state.rawValue < 16, "a CSAFE state is four bits wide")
        rawValue = (toggle ? 0x80 : 0) | previousFrame.rawValue | state.rawValue
    }

    /// A reply with the same toggle as the reply before is a duplicate.
    package var toggle: Bool { rawValue & 0x80 != 0 }

    /// The result of the answered frame.
    package var previousFrame: PreviousFrame { .init(rawValue: rawValue & 0x30) ?? .notReady }

    /// For information only: `.offline` is normal during a piece that was started on the monitor.
    package var state: CSAFEState { CSAFEState(rawValue: rawValue & 0x0F) }

    /// Whether the frame was accepted. Ignore the other bits: they change independently.
    package var isAccepted: Bool { previousFrame == .ok }
}

extension StatusByte {
    /// The byte and its three parts.
    package var fields: [Field] {
        [
            Field("status_raw", rawValue),
            Field("frame_toggle", .flag(toggle)),
            Field("previous_frame", .text(previousFrame.name)),
            Field("state", .text(state.name)),
        ]
    }
}

extension StatusByte.PreviousFrame {
    fileprivate var name: String {
        switch self {
        case .ok: "ok"
        case .reject: "reject"
        case .bad: "bad"
        case .notReady: "not_ready"
        }
    }
}

extension CSAFEState {
    fileprivate var name: String {
        switch self {
        case .error: "error"
        case .ready: "ready"
        case .idle: "idle"
        case .haveID: "have_id"
        case .inUse: "in_use"
        case .pause: "pause"
        case .finished: "finished"
        case .manual: "manual"
        case .offline: "offline"
        case .unrecognized(let rawValue): "unrecognized_\(rawValue)"
        }
    }
}
