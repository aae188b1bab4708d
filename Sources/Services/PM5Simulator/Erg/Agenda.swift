/// What will happen when, in order; what is due at the same time happens in the order it was added.
struct Agenda<Occasion: Equatable & Sendable>: Sendable {
    private var entries: [(milliseconds: Int, event: Occasion)] = []

    var nextMilliseconds: Int? { entries.first?.milliseconds }

    mutating func add(_ event: Occasion, at milliseconds: Int) {
        // Few entries at any time, so a linear search is the fast one.
        let index = entries.firstIndex { $0.milliseconds > milliseconds } ?? entries.endIndex
        entries.insert((milliseconds, event), at: index)
    }

    mutating func popFirst(upTo milliseconds: Int) -> (milliseconds: Int, event: Occasion)? {
        guard let first = entries.first, first.milliseconds <= milliseconds else { return nil }
        return entries.removeFirst()
    }

    mutating func remove(where unwanted: (Occasion) -> Bool) {
        entries.removeAll { unwanted($0.event) }
    }

    func contains(_ event: Occasion) -> Bool { entries.contains { $0.event == event } }
}
