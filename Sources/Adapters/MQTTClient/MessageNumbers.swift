/// The numbers of messages, from 1 in the order in which they are handed over, and which of them
/// the broker owes an answer for, by the identifiers that libmosquitto gave them.
struct MessageNumbers {
    private var last: Int32 = 0
    private var unanswered: [Int32: Int32] = [:]

    static func next(_ number: Int32) -> Int32 { number == .max ? 1 : number + 1 }

    /// - Parameter identifier: nil for a message that is not answered.
    mutating func add(_ identifier: Int32?) -> Int32 {
        last = Self.next(last)
        if let identifier { unanswered[identifier] = last }
        return last
    }

    mutating func take(_ identifier: Int32) -> Int32? {
        unanswered.removeValue(forKey: identifier)
    }
}
