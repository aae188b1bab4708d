import WebServer

/// Why something is not answered: what is wrong where, and what helps.
struct InterfaceFault: Error, Equatable {
    var status: UInt32
    /// For programs.
    var code: String
    /// For people.
    var words: String

    init(_ status: UInt32, _ code: String, _ words: String) {
        (self.status, self.code, self.words) = (status, code, words)
    }

    var answer: WebAnswer { .failure(status: status, code: code, message: words) }
}
