/// `org.varlink.service`: the introspection interface of every Varlink service, for `varlinkctl`.
enum ServiceInterface {
    static let name = "org.varlink.service"

    struct Nothing: Codable, Sendable {}

    enum GetInfo: ControlMethod {
        static let name = ServiceInterface.name + ".GetInfo"
        typealias Parameters = Nothing

        struct Reply: Codable, Equatable, Sendable {
            var vendor: String
            var product: String
            var version: String
            var url: String
            var interfaces: [String]
        }
    }

    enum GetInterfaceDescription: ControlMethod {
        static let name = ServiceInterface.name + ".GetInterfaceDescription"

        struct Parameters: Codable, Sendable { var interface: String }
        struct Reply: Codable, Equatable, Sendable { var description: String }
    }

    /// Copied from the protocol's definition, https://varlink.org/Service.
    static let description = """
        # The Varlink Service Interface is provided by every varlink service. It
        # describes the service and the interfaces it implements.
        interface org.varlink.service

        # Get a list of all the interfaces a service provides and information
        # about the implementation.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # Get the description of an interface that is implemented by this service.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The requested interface was not found.
        error InterfaceNotFound (interface: string)

        # The requested method was not found
        error MethodNotFound (method: string)

        # The interface defines the requested method, but the service does not
        # implement it.
        error MethodNotImplemented (method: string)

        # One of the passed parameters is invalid.
        error InvalidParameter (parameter: string)

        # Client is denied access
        error PermissionDenied ()

        # Method is expected to be called with 'more' set to true, but wasn't
        error ExpectedMore ()

        """
}

extension ControlRoutes {
    /// Adds the introspection methods. Call this after all other methods are added.
    mutating func addServiceInterface(version: String) {
        let interfaces = (interfaces + [ServiceInterface.name]).sorted()
        on(ServiceInterface.GetInfo.self) { _ in
            ServiceInterface.GetInfo.Reply(
                vendor: "rowgate", product: "rowgate", version: version,
                url: "man:rowgate(8)", interfaces: interfaces)
        }
        on(ServiceInterface.GetInterfaceDescription.self) { parameters in
            switch parameters.interface {
            case ServiceInterface.name:
                ServiceInterface.GetInterfaceDescription.Reply(
                    description: ServiceInterface.description)
            case RowgateInterface.name where interfaces.contains(RowgateInterface.name):
                ServiceInterface.GetInterfaceDescription.Reply(
                    description: RowgateInterface.description)
            default: throw ControlFailure.interfaceNotFound(parameters.interface)
            }
        }
    }
}
