/// Numbers messages from 1 in the order of the calls, and maps libmosquitto's identifiers of
/// unanswered ones to them.
struct MessageNumbers {
    private var last: Int32 = 0
    private var unanswered: [Int32: Int32] = [:]

    static func next(_ number: Int32) -> Int32 { number == .max ? 1 : number + 1 }

    /// - Parameter identifier: nil for a message without an answer.
    mutating func add(_ identifier: Int32?) -> Int32 {
        last = Self.next(last)
        if let identifier { unanswered[identifier] = last }
        return last
    }

    mutating func remove(_ identifier: Int32) -> Int32? {
        unanswered.removeValue(forKey: identifier)
    }
}
