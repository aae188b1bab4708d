extension Double {
    /// Rounded, and at most what any figure of rowing is far below: a record may hold any number.
    var whole: Int64 { self.isNaN ? 0 : Int64(Swift.min(Swift.max(self, 0), 1e15).rounded()) }
}
