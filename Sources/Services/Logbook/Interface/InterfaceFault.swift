import WebServer

/// An error response of the HTTP interface.
struct InterfaceFault: Error, Equatable {
    var status: UInt32
    /// The code for programs.
    var code: String
    /// The error and its remedy, for users.
    var message: String

    init(_ status: UInt32, _ code: String, _ message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }

    var answer: WebAnswer { .failure(status: status, code: code, message: message) }
}
