/// An error reply: a qualified name and parameters.
package struct ControlFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// A qualified name of our interface or of org.varlink.service.
    package let name: String
    /// `message` is a sentence for the user; other keys name the wrong method, interface or parameter.
    package let parameters: [String: String]

    package init(_ name: String, parameters: [String: String] = [:]) {
        self.name = name
        self.parameters = parameters
    }

    /// An error of our interface, with a sentence for the user.
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
        rowgate: "TooManyClients", message: "too many clients are connected; try again in a moment")
}
