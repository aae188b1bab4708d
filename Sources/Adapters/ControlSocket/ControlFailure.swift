/// An error reply: a qualified name, and what goes with it.
package struct ControlFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Qualified: that of our interface, or one of org.varlink.service.
    package let name: String
    /// `message` is a sentence for a person; others name the culprit.
    package let parameters: [String: String]

    package init(_ name: String, parameters: [String: String] = [:]) {
        self.name = name
        self.parameters = parameters
    }

    /// An error of our own interface, with a sentence for the person who caused it.
    package init(rowgate name: String, message: String) {
        self.init(RowgateInterface.name + "." + name, parameters: ["message": message])
    }

    package var description: String {
        if let message = parameters["message"] { return message }
        let details = parameters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return details.isEmpty ? name : "\(name): \(details.joined(separator: ", "))"
    }
}

extension ControlFailure {
    static func methodNotFound(_ method: String) -> ControlFailure {
        ControlFailure("org.varlink.service.MethodNotFound", parameters: ["method": method])
    }

    static func interfaceNotFound(_ interface: String) -> ControlFailure {
        ControlFailure(
            "org.varlink.service.InterfaceNotFound", parameters: ["interface": interface])
    }

    static func invalidParameter(_ parameter: String) -> ControlFailure {
        ControlFailure("org.varlink.service.InvalidParameter", parameters: ["parameter": parameter])
    }

    static let expectedMore = ControlFailure("org.varlink.service.ExpectedMore")

    static func malformedRequest(_ message: String) -> ControlFailure {
        ControlFailure(rowgate: "MalformedRequest", message: message)
    }

    static func requestTooLarge(limit: Int) -> ControlFailure {
        ControlFailure(
            rowgate: "RequestTooLarge",
            message: "a request has at most \(limit) bytes before its NUL")
    }

    static let tooManyClients = ControlFailure(
        rowgate: "TooManyClients", message: "every client slot is taken; try again in a moment")
}
