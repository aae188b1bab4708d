extension Double {
    /// Rounded to a whole number of 0 to 1e15, far above any real value: a record may contain any number.
    var whole: Int64 { self.isNaN ? 0 : Int64(Swift.min(Swift.max(self, 0), 1e15).rounded()) }
}
