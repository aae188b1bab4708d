/// Reports the progress of long work on standard error, once for each tenth.
struct Progress {
    /// The unit in messages: `records`.
    let unit: String
    private var tenth: Int64 = -1

    init(_ unit: String) { self.unit = unit }

    mutating func report(_ done: Int64, of all: Int64) {
        let percent = done * 100 / max(all, 1)
        if percent / 10 != tenth {
            StoreChoice.complain("\(done) of \(all) \(unit), \(percent) %")
        }
        tenth = percent / 10
    }
}
