/// Things to do later, on the queue of whoever owns this; at equal times in the order added.
struct DelayedActions {
    struct Token: Equatable { fileprivate let number: Int }

    private var entries: [(seconds: Double, token: Token, action: () -> Void)] = []
    private var lastNumber = 0

    var nextSeconds: Double? { entries.first?.seconds }

    mutating func add(at seconds: Double, _ action: @escaping () -> Void) -> Token {
        lastNumber += 1
        let token = Token(number: lastNumber)
        let index = entries.firstIndex { $0.seconds > seconds } ?? entries.endIndex
        entries.insert((seconds, token, action), at: index)
        return token
    }

    mutating func cancel(_ token: Token?) {
        entries.removeAll { $0.token == token }
    }

    mutating func popFirst(upTo seconds: Double) -> (() -> Void)? {
        guard let first = entries.first, first.seconds <= seconds else { return nil }
        return entries.removeFirst().action
    }
}
