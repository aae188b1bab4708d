/// Rejects drag factors that no machine has. A damper is moved once and then stays there.
///
/// A monitor was seen sending 227 in every other status. A value far from the last known one, or outside
/// the usual range, counts only when the next status confirms it.
struct DragFilter {
    /// Of air machines, from a closed to an open damper.
    private static let usual: ClosedRange<UInt8> = 50...215
    /// The largest change between strokes at the same damper setting.
    private static let mostChange = 15

    private(set) var known: UInt8?
    private var last: UInt8?
    /// The last known value, also while a new one is not confirmed.
    private var accepted: UInt8?

    /// Handles the value of a status; nil if it has none. Returns false for an implausible value.
    mutating func accept(_ value: UInt8?) -> Bool {
        defer { last = value ?? last }
        guard let value else {
            known = nil
            return true
        }
        let isConfirmed = last.map { Self.isNear($0, value) } ?? false
        let isExpected =
            accepted.map { Self.isNear($0, value) } ?? Self.usual.contains(value)
        guard isConfirmed || isExpected else {
            known = nil
            return false
        }
        (known, accepted) = (value, value)
        return true
    }

    private static func isNear(_ one: UInt8, _ other: UInt8) -> Bool {
        abs(Int(one) - Int(other)) <= mostChange
    }
}
