/// The power of the last three strokes, compared with the minute before.
struct PowerCollapse: Sendable {
    /// Percent of the minute before: below this the power has collapsed.
    static let limit = 40
    /// Percent of the minute before from which the collapse is over.
    static let exit = 60

    private static let span = Duration.seconds(60)
    /// Minimum number of strokes in the minute before.
    private static let least = 10
    /// Maximum number of strokes in a minute.
    private static let capacity = 64
    private static let newest = 3

    private var strokes: [(elapsed: Duration, watts: Int)] = []
    /// The power before the drop; nil without a drop.
    private var held: Int?

    init() { strokes.reserveCapacity(Self.capacity + 1) }

    mutating func restart() {
        strokes.removeAll(keepingCapacity: true)
        held = nil
    }

    /// Adds a stroke. Returns the power of the last three strokes in percent of the minute before;
    /// nil if there were too few strokes.
    ///
    /// - Parameter isCollapsed: whether an alert is active, which keeps the earlier power as reference.
    mutating func add(_ watts: Int, at elapsed: Duration, isCollapsed: Bool) -> Int? {
        strokes.append((elapsed, watts))
        let old = strokes.prefix { elapsed - $0.elapsed > Self.span }.count
        strokes.removeFirst(max(old, strokes.count - Self.capacity))
        guard strokes.count >= Self.newest else { return nil }
        let mean = strokes.suffix(Self.newest).reduce(0) { $0 + $1.watts } / Self.newest
        let before = strokes.dropLast(Self.newest)
        if !isCollapsed || held == nil {
            held =
                before.count >= Self.least
                ? before.reduce(0) { $0 + $1.watts } / before.count : nil
        }
        guard let held, held > 0 else { return nil }
        return mean * 100 / held
    }
}
